import type { FieldDifference, RequestAmount, RequestDifferences } from '#contracts';
import { Text } from '@mantine/core';
import { UntrustedText } from '../../components/untrusted-text.js';
import { number } from '../../lib/format.js';
import { differentMessages } from './different-messages.js';
import { messages } from './messages.js';

/** Others are counted, so that the facts stay on one screen. */
const SHOWN = 3;

interface Props {
  differences: RequestDifferences;
  amounts: readonly RequestAmount[];
}

/** What is different from earlier requests of the same operation by this agent. */
export default function Different({ differences: { of, fields, more }, amounts }: Props) {
  const others = Math.max(0, fields.length - SHOWN) + more;
  return (
    <ul className="plain-list" aria-label={differentMessages.label(of)} title={differentMessages.label(of)}>
      {fields.slice(0, SHOWN).map((field) => (
        <Text key={`${field.kind} ${field.pointer}`} component="li" size="sm">
          <Difference field={field} of={of} sum={amounts.find(({ pointer }) => pointer === field.pointer)?.text} />
        </Text>
      ))}
      {others > 0 && (
        <Text component="li" size="sm" c="dimmed">
          {differentMessages.others(others)}
        </Text>
      )}
    </ul>
  );
}

interface DifferenceProps {
  field: FieldDifference;
  of: number;
  /** The value, if it is an amount. The usual one may be in another currency. */
  sum: string | undefined;
}

function Difference({ field: { pointer, kind, value, usual, times }, of, sum }: DifferenceProps) {
  const isNumber = kind === 'unusual_number' || kind === 'unusual_count';
  const words =
    isNumber && times !== null && times > 0 ? differentMessages.times(timesWords(times)) : differentMessages[kind](of);
  return (
    <>
      <Text span inherit fw={600} c="var(--agw-high)">
        <UntrustedText text={fieldName(pointer)} inline /> {words}
      </Text>
      {value !== null && (
        <>
          : <UntrustedText text={value} inline />
          {sum !== undefined && ` ${messages.detail.sum(sum)}`}
        </>
      )}
      {usual !== null && (
        <Text span inherit c="dimmed">
          {' '}
          · {differentMessages.usually} <UntrustedText text={usual} inline />
        </Text>
      )}
    </>
  );
}

/** The last name in the pointer. A place in a list is no name. */
function fieldName(pointer: string): string {
  const names = pointer.split('/').slice(1);
  const name = names.findLast((each, index) => index > 0 && !/^\d+$/.test(each)) ?? names[0] ?? '';
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

const timesWords = (times: number): string =>
  times >= 1 ? number(times) : differentMessages.fraction(Math.round(1 / times));
