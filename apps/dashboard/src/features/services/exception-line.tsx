import type { RiskRule } from '#contracts';
import { Text } from '@mantine/core';
import { Link } from 'react-router';
import { UntrustedText } from '../../components/untrusted-text.js';
import { exceptionMessages } from './exception-messages.js';

/** What an exception lifts, and the held request that it was made from. */
export function ExceptionLine({ rule, rules }: { rule: RiskRule; rules: readonly RiskRule[] }) {
  const lifted = rule.exceptionTo.map((id) => rules.find((other) => other.id === id));
  const names = lifted.flatMap((other) => (other ? [`“${other.name}”`] : []));
  const gone = lifted.length - names.length;
  return (
    <Text size="sm" mt={4}>
      {names.length > 0 && (
        <>
          {exceptionMessages.lifts} <UntrustedText text={names.join(', ')} inline />
          {'. '}
        </>
      )}
      {gone > 0 && `${exceptionMessages.gone(gone)} `}
      {rule.fromAction && <Link to={`/approvals/${rule.fromAction}`}>{exceptionMessages.from}</Link>}
    </Text>
  );
}

/** The exceptions that lift a rule. */
export const exceptionsTo = ({ id }: RiskRule, rules: readonly RiskRule[]): RiskRule[] =>
  rules.filter(({ exceptionTo }) => exceptionTo.includes(id));
