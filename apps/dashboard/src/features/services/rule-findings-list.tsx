import type { RiskRule } from '#contracts';
import { Anchor, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../components/icon.js';
import { RelativeTime } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { byForce, type ComparedRule, type RuleFindings } from './rule-findings.js';
import { ruleFindingsMessages } from './rule-findings-messages.js';

/** The element of a rule in the list. */
export const ruleElementId = (id: number): string => `rule-${id}`;

interface Props {
  rule: ComparedRule;
  findings: RuleFindings;
  /** Whether the links to other rules open another tab, because a rule is being edited here. */
  inNewTab?: boolean;
}

/** What is odd about a rule, one sentence each. */
export function RuleFindingsList({ rule, findings: { hiddenBy, opposite, unmatched }, inNewTab = false }: Props) {
  return (
    <Stack gap={2} mt={4} fz="sm">
      {hiddenBy && (
        <Finding>
          {ruleFindingsMessages.hiddenBy}
          <RuleName rule={hiddenBy} inNewTab={inNewTab} />
          {ruleFindingsMessages.hiddenText}
        </Finding>
      )}
      {opposite && (
        <Finding>
          {ruleFindingsMessages.opposite}
          <RuleName rule={opposite} inNewTab={inNewTab} />
          {byForce(opposite, rule) < 0 ? ruleFindingsMessages.oppositeStronger : ruleFindingsMessages.oppositeWeaker}
        </Finding>
      )}
      {unmatched && (
        <Finding>
          {ruleFindingsMessages.unmatched}
          {unmatched.lastMatchedAt !== null && (
            <>
              {' '}
              {ruleFindingsMessages.last} <RelativeTime at={unmatched.lastMatchedAt} />
            </>
          )}
        </Finding>
      )}
    </Stack>
  );
}

function Finding({ children }: { children: ReactNode }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" c="var(--agw-medium)">
      <Icon name="warning" size={16} />
      <Text span inherit miw={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  );
}

/** The name of a rule as a link to its place in the list. */
export function RuleName({ rule: { id, name }, inNewTab }: { rule: RiskRule; inNewTab: boolean }) {
  return (
    <Anchor
      href={`#${ruleElementId(id)}`}
      target={inNewTab ? '_blank' : undefined}
      inherit
      c="inherit"
      underline="always"
    >
      <b translate="no">
        <UntrustedText text={name} inline />
      </b>
    </Anchor>
  );
}
