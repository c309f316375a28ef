import type { CheckedRule, RiskAssessment } from '#contracts';
import { List, Text } from '@mantine/core';
import { conditionWords } from '../../components/rule-sentence/condition-words.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { messages } from './messages.js';

/** Every rule that applies now: those that match, in order, and why the others don't. */
export function CheckedRules({ assessment: { rule: decisive, rules, observed } }: { assessment: RiskAssessment }) {
  const matching = rules.filter(({ mismatch }) => mismatch === null);
  const others = rules.filter(({ mismatch }) => mismatch !== null);
  return (
    <>
      {matching.length === 0 ? (
        <Text span c="dimmed" size="sm">
          {messages.noRules}
        </Text>
      ) : (
        <List type="ordered" aria-label={messages.matching}>
          {matching.map((rule) => (
            <List.Item key={rule.id}>
              <Rule rule={rule} decides={rule.id === decisive?.id} />
            </List.Item>
          ))}
        </List>
      )}
      {others.length > 0 && (
        <details>
          <summary>{messages.others(others.length)}</summary>
          <List mt={4}>
            {others.map((rule) => (
              <List.Item key={rule.id}>
                <Rule rule={rule} />
              </List.Item>
            ))}
          </List>
        </details>
      )}
      {observed.length > 0 && (
        <Text c="dimmed" size="sm">
          {messages.observed(observed.length)}
        </Text>
      )}
    </>
  );
}

interface RuleProps {
  rule: CheckedRule;
  /** It is the one that decides. */
  decides?: boolean;
}

function Rule({ rule: { name, effect, when, mismatch, undecided }, decides = false }: RuleProps) {
  return (
    <>
      <span translate="no">{name}</span>{' '}
      <Text span c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
        → {messages.effects[effect]}
        {decides && <b>, {messages.decides}</b>}
        {mismatch !== null && (undecided === null || mismatch !== 'condition') && (
          <>: {messages.mismatches[mismatch]}</>
        )}
        {mismatch === 'condition' && undecided === null && (
          <>
            {' '}
            (<UntrustedText text={conditionWords(when) ?? when} inline />)
          </>
        )}
        {undecided !== null && (
          <>
            {' '}
            {mismatch === null ? messages.undecidedMatch : messages.undecidedMiss}{' '}
            <UntrustedText text={undecided} inline prose />
          </>
        )}
      </Text>
    </>
  );
}
