import type { RiskRule, Service } from '#contracts';
import { RULE_PRESETS, type RulePreset } from '#contracts/rule-presets';
import { SimpleGrid, Text, Title, UnstyledButton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Icon } from '../../components/icon.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { createRule } from './api.js';
import { rulesMessages } from './rules-messages.js';
import classes from './rule-presets.module.css';

/** Rule sets that suit most services. Sets that the service already has are left out. */
export function RulePresets({ service, rules }: { service: Service; rules: readonly RiskRule[] }) {
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: async (preset: RulePreset) => {
      for (const rule of preset.rules) await createRule(service.id, { ...rule, methods: [...rule.methods] });
    },
    onSuccess: (_, preset) => showDone(rulesMessages.presetDone(preset.title)),
    onError: showFailure,
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.about(service.id) });
    },
  });
  const names = new Set(rules.map(({ name }) => name));
  const offered = RULE_PRESETS.filter((preset) => preset.rules.every((rule) => !names.has(rule.name)));
  if (offered.length === 0) return null;
  return (
    <div>
      <Title order={3} size="sm" fw={500} c="dimmed" mb={6}>
        {rulesMessages.presets}
      </Title>
      <SimpleGrid minColWidth="min(240px, 100%)" autoFlow="auto-fit" spacing="sm">
        {offered.map((preset) => (
          <UnstyledButton
            key={preset.key}
            className={classes.preset}
            disabled={add.isPending}
            onClick={() => add.mutate(preset)}
          >
            <Icon name="plus" size={16} />
            <span>
              <Text span display="block" fw="bold">
                {preset.title}
              </Text>
              <Text span display="block" c="dimmed" size="sm">
                {preset.description}
              </Text>
            </span>
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </div>
  );
}
