import type { RiskRule } from '#contracts';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { now } from '../../lib/clock.js';
import { rulesQuery } from '../../lib/rules-query.js';
import type { RuleDraft } from './rule-draft.js';
import { askedTogether, comparedDraft, comparedWith, strongerThan } from './rule-findings.js';
import { RuleFindingsList, RuleName } from './rule-findings-list.js';
import { ruleFindingsMessages } from './rule-findings-messages.js';

const STEPS = Object.entries(ruleFindingsMessages.steps);
const NAMED_MAX = 3;

interface Props {
  serviceId: number;
  draft: RuleDraft;
  /** null for a new rule. */
  rule: RiskRule | null;
}

/** Where a rule stands in the order of force, and what the other rules of the service make of it. */
export function RuleForce({ serviceId, draft, rule }: Props) {
  const { data: rules = [] } = useQuery(rulesQuery(serviceId));
  const compared = comparedDraft(draft, rule, now());
  const findings = comparedWith(compared, rules, now());
  const stronger = strongerThan(compared, rules, now());
  const together = askedTogether(compared, rules, now());
  // A finding names its rule already.
  const others = stronger.filter(({ id }) => id !== findings.hiddenBy?.id && id !== findings.opposite?.id);
  return (
    <Stack gap={6} fz="sm">
      <Order effect={draft.effect} />
      <Text inherit c="dimmed">
        {draft.effect === 'guidance' && `${ruleFindingsMessages.guidance} `}
        {stronger.length === 0 && ruleFindingsMessages.none}
        {others.length > 0 && `${ruleFindingsMessages.stronger} `}
        {others.slice(0, NAMED_MAX).map((other, index) => (
          <Fragment key={other.id}>
            {index > 0 && ', '}
            <RuleName rule={other} inNewTab />
          </Fragment>
        ))}
        {others.length > NAMED_MAX && ` ${ruleFindingsMessages.more(others.length - NAMED_MAX)}`}
      </Text>
      {together && (
        <Text inherit>
          {ruleFindingsMessages.together}
          <RuleName rule={together.rule} inNewTab />
          {ruleFindingsMessages.needs(together.needed, together.more)}{' '}
          {together.bothName && ruleFindingsMessages.bothName}
        </Text>
      )}
      <RuleFindingsList rule={compared} findings={findings} inNewTab />
    </Stack>
  );
}

function Order({ effect }: { effect: RuleDraft['effect'] }) {
  return (
    <Group component="ol" gap="0 6px" className="plain-list" aria-label={ruleFindingsMessages.order} c="dimmed">
      {STEPS.map(([step, words], index) => (
        <li key={step} aria-current={step === effect ? 'step' : undefined}>
          {index > 0 && <span aria-hidden="true">→ </span>}
          {step === effect ? (
            <Text span inherit fw={700} c="var(--mantine-color-text)">
              {words}
              <span className="visually-hidden"> {ruleFindingsMessages.decides}</span>
            </Text>
          ) : (
            words
          )}
        </li>
      ))}
    </Group>
  );
}
