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

function Rule({ rule, decides = false }: RuleProps) {
  return (
    <>
      <span translate="no">{rule.name}</span>{' '}
      <Text span c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
        → {messages.effects[rule.effect]}
        {decides && <b>, {messages.decides}</b>}
        <Because rule={rule} />
      </Text>
    </>
  );
}

/** Why a rule does not match, and what of its match is not plain to see. */
function Because({ rule: { when, mismatch, undecided, readAs } }: Pick<RuleProps, 'rule'>) {
  if (undecided !== null) {
    return (
      <>
        : {messages.undecided} <UntrustedText text={undecided} inline prose />.{' '}
        {mismatch === null ? messages.undecidedMatch : messages.undecidedMiss}
      </>
    );
  }
  return (
    <>
      {mismatch !== null && <>: {messages.mismatches[mismatch]}</>}
      {mismatch === 'condition' && (
        <>
          {' '}
          (<UntrustedText text={conditionWords(when) ?? when} inline />)
        </>
      )}
      {readAs !== null && (
        <>
          {mismatch === null ? ': ' : ', '}
          {messages.readAs[mismatch === null ? 'match' : 'miss']}{' '}
          <span className="mono">
            <UntrustedText text={readAs} inline />
          </span>
        </>
      )}
    </>
  );
}
