import { decodedText } from '#contracts/encoded-text';
import { blocksOf, readMail, type MailHeader } from '#contracts/mail-text';
import { Text, UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { sharedMessages } from '../../lib/messages.js';
import { countSuspicions } from '../../lib/text-safety.js';
import { Callout } from '../notices.js';
import { UntrustedText } from '../untrusted-text.js';
import { decodedMessages } from './decoded-messages.js';
import { suspicionText } from './request-texts.js';
import classes from './request.module.css';

/** What is visible without a press. */
const [LINES, CHARACTERS] = [8, 500];
/** Parts of a mail that are decoded too. */
const PARTS_MAX = 5;
/** How many characters of a body are decoded. */
const BUDGET = 1_000_000;
/** One value costs no more, because only its beginning is read. */
const COST_MAX = 90_000;

export interface DecodedProps {
  text: string;
  /** The same object for all values of a body. */
  among: object;
  partId: string | undefined;
  /** Shows all of it. */
  expanded?: boolean;
}

/** A text in base64, decoded. Who has seen all of it has seen the value. */
export default function DecodedValue({ text, among, partId, expanded = false }: DecodedProps) {
  const isAffordable = afford(among, text);
  const reading = useMemo(() => (isAffordable ? readingOf(text) : null), [text, isAffordable]);
  const [isOpen, setOpen] = useState(false);
  if (!isAffordable) return <Label text={decodedMessages.tooMuch} />;
  if (reading === null) return null;
  const { texts, headers, content, isWhole, warning } = reading;
  const isShort = texts.every((text) => beginning(text) === text);
  const isAll = isShort || isOpen || expanded;
  // Where the headers of a mail are in view as they stand there, they need no reading.
  const told = headers.filter(({ value }) => !isAll || !texts[0].includes(value));
  return (
    <div className={classes.members}>
      {/* A new element is followed anew. */}
      <div key={String(isAll)} data-part={isAll && isWhole ? partId : undefined}>
        <Label text={isWhole ? decodedMessages.decoded : decodedMessages.beginning} />
        {warning !== null && <Callout tone="danger">{warning}</Callout>}
        {told.map(({ name, value }, index) => (
          <div key={index}>
            <b>{name.replace(/\b\w/g, (letter) => letter.toUpperCase())}:</b> <UntrustedText text={value} inline />
          </div>
        ))}
        <Lines text={isAll ? texts[0] : beginning(content)} />
        {texts.slice(1).map((text, index) => (
          <div key={index}>
            <Label text={decodedMessages.part} />
            <Lines text={isAll ? text : beginning(text)} />
          </div>
        ))}
      </div>
      {!isShort && !expanded && (
        <UnstyledButton className={classes.unfold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? sharedMessages.actions.showLess : decodedMessages.characters([...texts[0]].length)}
        </UnstyledButton>
      )}
    </div>
  );
}

const Label = ({ text }: { text: string }) => (
  <Text size="sm" c="dimmed" ff="text">
    {text}
  </Text>
);

const Lines = ({ text }: { text: string }) => (
  <pre className={classes.text}>
    <UntrustedText text={text} />
  </pre>
);

interface Reading {
  /** The text of the value, and the texts of the parts of a mail that are in base64 themselves. */
  texts: [string, ...string[]];
  headers: readonly MailHeader[];
  /** What is shown of it first: of a mail, what it says. */
  content: string;
  isWhole: boolean;
  warning: string | null;
}

function readingOf(value: string): Reading | null {
  const decoded = decodedText(value);
  if (decoded === null) return null;
  const { text, isWhole } = decoded;
  const mail = readMail(text);
  const parts = mail === null ? [] : blocksOf(mail.content).flatMap((block) => decodedText(block)?.text ?? []);
  const texts: Reading['texts'] = [text, ...parts.slice(0, PARTS_MAX)];
  const headers = mail?.headers ?? [];
  const warning = suspicionText(countSuspicions([...texts, ...headers.map((header) => header.value)]));
  return { texts, headers, content: mail?.content || text, isWhole, warning };
}

/** It splits no surrogate pair. */
const beginning = (text: string): string =>
  text
    .split('\n', LINES)
    .join('\n')
    .slice(0, CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '');

interface Spent {
  left: number;
  values: Map<string, boolean>;
}
const spent = new WeakMap<object, Spent>();

/** Whether a value is decoded: the first ones of a body are. Always the same for one value. */
function afford(among: object, text: string): boolean {
  const budget = spent.get(among) ?? { left: BUDGET, values: new Map<string, boolean>() };
  spent.set(among, budget);
  const known = budget.values.get(text);
  if (known !== undefined) return known;
  const cost = Math.min(text.length, COST_MAX);
  const isAffordable = cost <= budget.left;
  if (isAffordable) budget.left -= cost;
  budget.values.set(text, isAffordable);
  return isAffordable;
}
