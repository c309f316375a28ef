import type { RiskRule } from '#contracts';
import { Box, Button, Group, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { Countdown } from '../../components/time.js';
import { useNow } from '../../lib/clock.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showFailure } from '../../lib/toasts.js';
import { updateRule } from './api.js';
import { ExceptionLine, exceptionsTo } from './exception-line.js';
import { exceptionMessages } from './exception-messages.js';
import { LimitUse } from './limit-use.js';
import { rulesMessages } from './rules-messages.js';
import { ruleState } from './rule-draft.js';
import type { RuleFindings } from './rule-findings.js';
import { ruleElementId, RuleFindingsList } from './rule-findings-list.js';
import { RuleSentence } from '../../components/rule-sentence/rule-sentence.js';

interface Props {
  serviceId: number;
  rule: RiskRule;
  /** All rules of the service. */
  rules: readonly RiskRule[];
  agentName: (id: number) => string;
  /** What is odd about it. */
  findings: RuleFindings | undefined;
  /** null for people who may not change rules. */
  edit: (() => void) | null;
}

/** A rule as a sentence, with its remaining time and its author, and for administrators its switch. */
export function RuleRow({ serviceId, rule, rules, agentName, findings, edit }: Props) {
  const queryClient = useQueryClient();
  const state = useNow((now) => ruleState(rule, now));
  const settled = {
    onError: showFailure,
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.rules(serviceId) });
    },
  };
  const toggle = useMutation({
    mutationFn: (isActive: boolean) => updateRule(serviceId, rule.id, { isActive }),
    ...settled,
  });
  const enforce = useMutation({
    mutationFn: () => updateRule(serviceId, rule.id, { mode: 'enforce' }),
    ...settled,
  });
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // The list arrives after the page, so the browser can't go to the rule that a link names.
    if (location.hash === `#${ruleElementId(rule.id)}`) row.current?.scrollIntoView({ block: 'center' });
  }, [rule.id]);
  const ended = state === 'over' || state === 'usedUp';
  return (
    <li ref={row} id={ruleElementId(rule.id)} tabIndex={-1}>
      <Group align="flex-start" gap="6px 14px">
        {edit && (
          <Switch
            mt={2}
            aria-label={rulesMessages.switchLabel(rule.name)}
            checked={(toggle.isPending ? toggle.variables : rule.isActive) && !ended}
            disabled={ended || toggle.isPending}
            onChange={(event) => toggle.mutate(event.currentTarget.checked)}
          />
        )}
        <Box flex="1 1 0" miw={0} c={state === 'active' ? undefined : 'dimmed'}>
          <RuleSentence rule={rule} agentName={agentName} />
          <Group gap="2px 12px" c="dimmed" fz="sm">
            <span translate="no">{rule.name}</span>
            {rule.createdBy && <span>{rulesMessages.by(rule.createdBy)}</span>}
            {rule.exceptionTo.length > 0 && <Chip>{exceptionMessages.chip}</Chip>}
            {state === 'over' && <Chip>{rulesMessages.over}</Chip>}
            {state === 'usedUp' && <Chip>{rulesMessages.usedUp}</Chip>}
            {rule.mode === 'observe' && (
              <>
                <Chip tone="warning">{rulesMessages.observed}</Chip>
                <Link to={`/history?rule=${rule.id}`}>{rulesMessages.observedRequests}</Link>
              </>
            )}
            {state === 'off' && <Chip>{rulesMessages.off}</Chip>}
            {rule.expiresAt !== null && !ended && <Countdown until={rule.expiresAt} />}
            {rule.maxUses !== null && !ended && <span>{rulesMessages.times(rule.uses, rule.maxUses)}</span>}
            <Exceptions rule={rule} rules={rules} />
          </Group>
          {rule.exceptionTo.length > 0 && <ExceptionLine rule={rule} rules={rules} />}
          {rule.limit && state === 'active' && <LimitUse serviceId={serviceId} ruleId={rule.id} limit={rule.limit} />}
          {findings && <RuleFindingsList rule={rule} findings={findings} />}
        </Box>
        {edit && (
          // On a phone, the text needs the whole width. The label of the last button ends where the text does.
          <Group w={{ base: 'calc(100% + 14px)', sm: 'auto' }} me={-14} gap="sm" justify="flex-end">
            {rule.mode === 'observe' && (
              <Button
                size="xs"
                variant="default"
                aria-label={rulesMessages.enforceLabel(rule.name)}
                loading={enforce.isPending}
                onClick={() => enforce.mutate()}
              >
                {rulesMessages.enforce}
              </Button>
            )}
            <Button size="xs" variant="subtle" aria-label={`${rulesMessages.edit}: ${rule.name}`} onClick={edit}>
              {rulesMessages.edit}
            </Button>
          </Group>
        )}
      </Group>
    </li>
  );
}

/** For a rule that asks: what lifts it now, or that nothing can. */
function Exceptions({ rule, rules }: Pick<Props, 'rule' | 'rules'>) {
  const count = useNow((now) => exceptionsTo(rule, rules).filter((each) => ruleState(each, now) === 'active').length);
  if (rule.effect !== 'require_approval') return null;
  if (rule.exceptions === 'none') return <span>{exceptionMessages.hard}</span>;
  return count > 0 ? <span>{exceptionMessages.lifted(count)}</span> : null;
}
