import { Stack, Text, UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Clamped } from '../../../components/clamped.js';
import { UntrustedText } from '../../../components/untrusted-text.js';
import type { LinePart } from './changed-lines.js';
import type { ChangedBody, ChangedPart, Difference } from './difference.js';
import classes from './difference.module.css';
import { messages } from './messages.js';

/** The number of changes that are shown at first. */
const PAGE = 50;

/** The difference between two requests: each part with its old and its new value. */
export function DifferenceView({ difference: { parts, body } }: { difference: Difference }) {
  return (
    <Stack gap="md">
      {parts.map((part) => (
        <Change key={`${part.part} ${part.name}`} label={partLabel(part)} {...part} />
      ))}
      {body && <BodyChange body={body} />}
    </Stack>
  );
}

const partLabel = ({ part, name }: ChangedPart): string => (part === 'header' ? messages.header(name) : messages[part]);

function BodyChange({ body }: { body: ChangedBody }) {
  if (body.kind === 'form' || body.kind === 'bytes') return <Text size="sm">{messages[body.kind]}</Text>;
  if (body.kind === 'lines')
    return (
      <div>
        <Label text={messages.body} />
        <Paged items={body.lines}>{(line, index) => <Line key={index} line={line} />}</Paged>
      </div>
    );
  return (
    <Paged items={body.fields}>
      {(field) => <Change key={field.path} label={messages.field(field.path)} {...field} />}
    </Paged>
  );
}

function Paged<T>({ items, children }: { items: readonly T[]; children: (item: T, index: number) => ReactNode }) {
  const [limit, setLimit] = useState(PAGE);
  return (
    <>
      {items.slice(0, limit).map(children)}
      {items.length > limit && (
        <UnstyledButton c="var(--mantine-color-anchor)" fz="sm" py="xs" onClick={() => setLimit(limit + PAGE * 10)}>
          {messages.more(items.length - limit)}
        </UnstyledButton>
      )}
    </>
  );
}

function Change({ label, before, after }: { label: string; before: string | null; after: string | null }) {
  return (
    <div>
      <Label text={label} />
      {before !== null && <Removed text={before} clamped />}
      {after !== null && <Added text={after} clamped />}
    </div>
  );
}

function Label({ text }: { text: string }) {
  return (
    <Text size="sm" fw={500} mb={4}>
      <UntrustedText text={text} inline />
    </Text>
  );
}

function Line({ line }: { line: LinePart }) {
  if (line.kind === 'skipped')
    return (
      <Text size="xs" c="dimmed" px="sm" py={2}>
        {messages.skipped(line.count)}
      </Text>
    );
  if (line.kind === 'removed') return <Removed text={line.text} />;
  if (line.kind === 'added') return <Added text={line.text} />;
  return (
    <div className={classes.line}>
      <UntrustedText text={line.text} />
    </div>
  );
}

/** @param clamped shortens a long value. Lines of a difference are shown whole */
function Removed({ text, clamped = false }: { text: string; clamped?: boolean }) {
  return (
    <del className={classes.line}>
      <span className="visually-hidden">{messages.before} </span>
      {clamped ? <Value text={text} /> : <UntrustedText text={text} />}
    </del>
  );
}

function Added({ text, clamped = false }: { text: string; clamped?: boolean }) {
  return (
    <ins className={classes.line}>
      <span className="visually-hidden">{messages.after} </span>
      {clamped ? <Value text={text} /> : <UntrustedText text={text} />}
    </ins>
  );
}

function Value({ text }: { text: string }) {
  return (
    <Clamped>
      <UntrustedText text={text} />
    </Clamped>
  );
}
