import type { RiskAssessment } from '#contracts';
import { Group, List, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { EffectReasons } from '../../components/effects/effect-reasons.js';
import { effectMessages } from '../../components/effects/messages.js';
import { Callout } from '../../components/notices.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { ruleSentenceMessages } from '../../components/rule-sentence/messages.js';
import { Terms } from '../../components/terms.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { score } from '../../lib/format.js';
import { messages } from './messages.js';
import { Prompt } from './prompt.js';

/** The decision in a sentence, then its scores and reasons. */
export function AssessmentView({ assessment }: { assessment: RiskAssessment }) {
  const { decision } = assessment;
  const otherwise = formatOtherwise(assessment);
  return (
    <Stack gap={18}>
      <Callout tone={decision === 'forward' ? 'success' : decision === 'hold' ? 'warning' : 'danger'}>
        <Text span size="lg" fw="bold">
          {messages.decisions[decision]}
        </Text>
        <div>{formatReason(assessment)}</div>
        {otherwise && <div>{otherwise}</div>}
      </Callout>
      {assessment.effects.length > 0 && (
        <div>
          <Title order={2} size="h4" mb="xs">
            {effectMessages.label}
          </Title>
          <EffectReasons effects={assessment.effects} />
        </div>
      )}
      <div>
        <Title order={2} size="h4" mb="xs">
          {messages.formula}
        </Title>
        <Formula assessment={assessment} />
      </div>
      <div>
        <Title order={2} size="h4" mb="xs">
          {messages.rules}
        </Title>
        <MatchedRules assessment={assessment} />
        <Text size="sm" c="dimmed" mt="xs">
          {ruleSentenceMessages.order}
        </Text>
      </div>
      <Terms
        items={[
          [messages.explanation, <UntrustedText text={assessment.explanation} prose />],
          [messages.source, messages.sources[assessment.source]],
          [messages.took, messages.elapsed(assessment.durationMs)],
        ]}
      />
      {assessment.prompt !== null && <Prompt text={assessment.prompt} />}
    </Stack>
  );
}

/** The rules that match, and those whose condition can't be decided. */
function MatchedRules({ assessment: { matchedRules, undecided, observed } }: { assessment: RiskAssessment }) {
  const others = undecided.filter((id) => !matchedRules.some((rule) => rule.id === id)).length;
  return (
    <>
      {matchedRules.length === 0 ? (
        <Dimmed>{messages.noRules}</Dimmed>
      ) : (
        <List type="ordered">
          {matchedRules.map(({ id, name, effect }) => (
            <List.Item key={id}>
              {name} <Dimmed>→ {messages.effects[effect]}</Dimmed>{' '}
              {undecided.includes(id) && <Dimmed>{messages.undecided}</Dimmed>}
            </List.Item>
          ))}
        </List>
      )}
      {others > 0 && <Dimmed>{messages.undecidedOthers(others)}</Dimmed>}
      {observed.length > 0 && <Dimmed>{messages.observed(observed.length)}</Dimmed>}
    </>
  );
}

/** What would change the decision, where that is simple. */
function formatOtherwise({ source, matchedRules, decision }: RiskAssessment): string | null {
  if (decision === 'forward') return null;
  if (source === 'effect') return messages.otherwise.effect;
  const [strongest] = matchedRules;
  return source === 'rule' && strongest ? messages.otherwise[decision] : null;
}

function formatReason({ source, matchedRules, decision, score: value, threshold }: RiskAssessment): string {
  const decisive = matchedRules.find(({ effect }) => effect !== 'guidance');
  if (source === 'rule' && decisive) return messages.why.rule(decisive.name);
  if (source === 'effect') return messages.why.effect;
  if (source === 'model_timeout') return messages.why.timeout;
  return decision === 'forward' ? messages.why.below(value, threshold) : messages.why.above(value, threshold);
}

/** 0.7 × model + 0.3 × method = score, with numbers (docs/reference/risk.md#score). */
function Formula({ assessment }: { assessment: RiskAssessment }) {
  const { llmScore, heuristicScore, score: total, source } = assessment;
  return (
    <Group gap="8px 12px">
      {llmScore !== null ? (
        <>
          <Part factor="0.7 ×" value={llmScore} label={messages.model} />
          <span aria-hidden="true">+</span>
          <Part factor="0.3 ×" value={heuristicScore} label={messages.method2} />
          <span aria-hidden="true">=</span>
        </>
      ) : (
        <Dimmed>
          {source === 'rule' || source === 'effect'
            ? messages.notAsked
            : messages.failed(score(heuristicScore), score(total))}
        </Dimmed>
      )}
      <RiskBadge score={total} />
    </Group>
  );
}

function Part({ factor, value, label }: { factor: string; value: number; label: string }) {
  return (
    <Stack gap={0} align="center" px={10} py="xs" bdrs="md" bg="var(--agw-sunken)">
      <span className="mono" translate="no">
        {factor} <b>{score(value)}</b>
      </span>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    </Stack>
  );
}

function Dimmed({ children }: { children: ReactNode }) {
  return (
    <Text span c="dimmed" size="sm">
      {children}
    </Text>
  );
}
