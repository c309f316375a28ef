import type { CreateRiskRuleRequest } from '#contracts';
import { Paper } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { failure } from '../../lib/http.js';
import { previewQuery } from './api.js';
import { rulesMessages } from './rules-messages.js';

const PAUSE_MS = 300;

/** Shows how many recent requests a rule would have matched, while the user edits it. */
export function RulePreviewLine({ serviceId, rule }: { serviceId: number; rule: CreateRiskRuleRequest }) {
  // Send only the fields that decide a match. The others change with the clock and would cause a request at every tick.
  const key = JSON.stringify({
    name: 'preview',
    effect: rule.effect,
    methods: rule.methods,
    pathPattern: rule.pathPattern,
    agentIds: rule.agentIds,
    instruction: rule.effect === 'guidance' ? '-' : '',
  });
  const [settledKey] = useDebouncedValue(key, PAUSE_MS);
  const query = useQuery({
    ...previewQuery(serviceId, JSON.parse(settledKey) as CreateRiskRuleRequest),
    placeholderData: keepPreviousData,
  });
  const busy = query.isFetching || key !== settledKey;
  return (
    <Paper role="status" px="md" py={10} fz="sm" bg="var(--agw-selected)" c={busy ? 'dimmed' : undefined}>
      {query.isError
        ? failure(query.error).message
        : query.data
          ? rulesMessages.matches(query.data.matched, query.data.of)
          : rulesMessages.checking}
    </Paper>
  );
}
