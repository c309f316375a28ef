import type { CreateRiskRuleRequest, RulePreview } from '#contracts';
import { Button, Group, Paper, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { failure } from '../../lib/http.js';
import { previewQuery } from './api.js';
import { backtestQuery } from './backtest.js';
import { BacktestResult } from './backtest-result.js';
import { matchWords } from './match-words.js';
import { rulesMessages } from './rules-messages.js';

const PAUSE_MS = 300;

/**
 * How many recent requests a rule would have matched, or what is wrong with it, while the user edits it.
 * @param canMatch false: the gateway would refuse the rule
 */
export function useRulePreview(serviceId: number, rule: CreateRiskRuleRequest, canMatch: boolean) {
  // Send only the fields that decide a match. The others change with the clock and would cause a request at every tick.
  const sent = {
    name: 'preview',
    effect: rule.effect,
    methods: rule.methods,
    pathPattern: rule.pathPattern,
    ...(rule.when && { when: rule.when }),
    ...(rule.limit && { limit: rule.limit }),
    agentIds: rule.agentIds,
    instruction: rule.effect === 'guidance' ? '-' : '',
  };
  const key = JSON.stringify(canMatch ? sent : null);
  const [settledKey] = useDebouncedValue(key, PAUSE_MS);
  const settled = JSON.parse(settledKey) as typeof sent | null;
  const query = useQuery({
    ...previewQuery(serviceId, settled ?? sent),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
  });
  return { query, busy: query.isFetching || key !== settledKey };
}

interface Props {
  serviceId: number;
  rule: CreateRiskRuleRequest & { id?: number };
  preview: { query: { data: RulePreview | undefined; error: unknown }; busy: boolean };
}

/** How many recent requests a rule would have matched. What it would have changed is found when the user asks. */
export function RulePreviewLines({ serviceId, rule, preview: { query, busy } }: Props) {
  // Its end is not tried, because it changes with the clock.
  const { expiresInMinutes: _, expiresAt: __, ...tried } = rule;
  const key = JSON.stringify(tried);
  const [askedKey, setAskedKey] = useState<string | null>(null);
  const isAsked = askedKey === key;
  const backtest = useQuery({ ...backtestQuery(serviceId, { rule: tried }), enabled: isAsked });
  if (isAsked) {
    return (
      <BacktestResult
        query={backtest}
        busy={backtest.isFetching}
        concerns={(result) => matchWords(rule.effect, result)}
      />
    );
  }
  return (
    <Paper px="md" py={6} fz="sm" bg="var(--agw-selected)">
      <Group justify="space-between" gap="xs">
        <Text span inherit role="status" c={busy ? 'dimmed' : undefined}>
          {rule.when && !query.data?.of
            ? rulesMessages.untested
            : query.error
              ? failure(query.error).message
              : query.data
                ? query.data.of === 0
                  ? rulesMessages.noRequests
                  : matchWords(rule.effect, query.data)
                : rulesMessages.checking}
        </Text>
        <Button variant="default" size="xs" onClick={() => setAskedKey(key)}>
          {rulesMessages.backtest}
        </Button>
      </Group>
    </Paper>
  );
}
