import type { NeededApprovals, RiskAssessment } from '#contracts';
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
import { useMembers } from '../../lib/workspace.js';
import { CheckedRules } from './checked-rules.js';
import { METHOD_SHARE, MODEL_SHARE } from './formula.js';
import { LimitsLeft } from './limits-left.js';
import { messages } from './messages.js';
import { otherwise } from './otherwise.js';
import { otherwiseMessages } from './otherwise-messages.js';
import { Prompt } from './prompt.js';

/** The decision in a sentence, then its scores and reasons. */
export function AssessmentView({ assessment, hasAgent }: { assessment: RiskAssessment; hasAgent: boolean }) {
  const { decision, limits } = assessment;
  return (
    <Stack gap={18}>
      <Callout tone={decision === 'forward' ? 'success' : decision === 'hold' ? 'warning' : 'danger'}>
        <Text span size="lg" fw="bold">
          {messages.decisions[decision]}
        </Text>
        <div>{formatReason(assessment)}</div>
        {assessment.approvals && <Approvals approvals={assessment.approvals} />}
      </Callout>
      <Part title={otherwiseMessages.title}>
        <Otherwise assessment={assessment} />
      </Part>
      {assessment.effects.length > 0 && (
        <Part title={effectMessages.label}>
          <EffectReasons effects={assessment.effects} />
        </Part>
      )}
      <Part title={messages.formula}>
        <Formula assessment={assessment} />
      </Part>
      {limits.length > 0 && (
        <Part title={messages.limits}>
          <LimitsLeft limits={limits} hasAgent={hasAgent} />
        </Part>
      )}
      <Part title={messages.rules}>
        <CheckedRules assessment={assessment} />
        <Text size="sm" c="dimmed" mt="xs">
          {ruleSentenceMessages.order}
        </Text>
      </Part>
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

/** How many people must approve, who they may be, and the rule that asks for most. */
function Approvals({ approvals: { needed, rule, approverIds } }: { approvals: NeededApprovals }) {
  const { data: members = [] } = useMembers();
  const nameOf = (id: number) => members.find((member) => member.id === id)?.name ?? `#${id}`;
  return (
    <div>
      {messages.needs(needed, rule?.name ?? null)} {approverIds && messages.onlyPeople(approverIds.map(nameOf))}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      {children}
    </div>
  );
}

/** What could change the decision, from what the gateway said about this request. */
function Otherwise({ assessment }: { assessment: RiskAssessment }) {
  const sentences = otherwise(assessment);
  if (assessment.source === 'effect') sentences.push(messages.otherwiseAllow);
  if (sentences.length === 0) return <Dimmed>{messages.otherwiseNothing}</Dimmed>;
  return (
    <List>
      {sentences.map((sentence) => (
        <List.Item key={sentence} style={{ overflowWrap: 'anywhere' }}>
          <UntrustedText text={sentence} inline prose />
        </List.Item>
      ))}
    </List>
  );
}

function formatReason({ source, rule, decision, score: total, decidingScore, threshold }: RiskAssessment): string {
  if (source === 'rule') return rule === null ? messages.why.path : messages.why.rule(rule.name);
  if (source === 'effect') return messages.why.effect;
  if (source === 'model_timeout') return messages.why.timeout;
  const value = decidingScore ?? total;
  return decision === 'forward' ? messages.why.below(value, threshold) : messages.why.above(value, threshold);
}

/** 0.7 × model + 0.3 × method = score, with numbers (docs/reference/risk.md#score). */
function Formula({ assessment }: { assessment: RiskAssessment }) {
  const { llmScore, heuristicScore, score: total, decidingScore, source } = assessment;
  const value = decidingScore ?? total;
  return (
    <Group gap="8px 12px">
      {llmScore !== null ? (
        <>
          <Share factor={MODEL_SHARE} value={llmScore} label={messages.model} />
          <span aria-hidden="true">+</span>
          <Share factor={METHOD_SHARE} value={heuristicScore} label={messages.method2} />
          <span aria-hidden="true">=</span>
        </>
      ) : (
        <Dimmed>
          {source === 'rule' || source === 'effect'
            ? messages.notAsked
            : messages.failed(score(heuristicScore), score(value))}
        </Dimmed>
      )}
      <RiskBadge score={value} />
      {total > value && <Dimmed>{messages.heldScore(score(total))}</Dimmed>}
    </Group>
  );
}

function Share({ factor, value, label }: { factor: number; value: number; label: string }) {
  return (
    <Stack gap={0} align="center" px={10} py="xs" bdrs="md" bg="var(--agw-sunken)">
      <span className="mono" translate="no">
        {factor} × <b>{score(value)}</b>
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
