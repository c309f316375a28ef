import type { RiskRule, Service } from '#contracts';
import { RULE_PRESETS, type RulePreset } from '#contracts/rule-presets';
import { Button, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Icon } from '../../components/icon.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { createRule, deleteRule } from './api.js';
import { rulesMessages } from './rules-messages.js';
import { presetDraft, type RuleDraft } from './rule-draft.js';
import classes from './rule-presets.module.css';

interface Props {
  service: Service;
  rules: readonly RiskRule[];
  /** Opens the editor with a draft. */
  edit: (draft: RuleDraft) => void;
}

/**
 * Rules that suit most services. One that asks is added at once. One that lowers protection opens in the editor, which
 * shows what it would match. They stand above the rules and stay when they are added, so that none moves on a press.
 */
export function RulePresets({ service, rules, edit }: Props) {
  const [isOpen] = useState(rules.length === 0);
  const add = useAddPreset(service.id);
  const names = new Set<string>(rules.map(({ name }) => name));
  return (
    <details open={isOpen}>
      <summary>{rulesMessages.presets}</summary>
      <SimpleGrid mt="xs" minColWidth="min(240px, 100%)" autoFlow="auto-fit" spacing="sm">
        {RULE_PRESETS.map((preset) => {
          const isAdded = preset.rules.every((rule) => names.has(rule.name));
          const lowers = preset.rules.some(({ effect }) => effect === 'allow');
          const choose = () => (lowers ? edit(presetDraft(preset)) : add.mutate(preset));
          return (
            <UnstyledButton
              key={preset.key}
              className={classes.preset}
              aria-haspopup={lowers && !isAdded ? 'dialog' : undefined}
              // A disabled button would lose the focus.
              aria-disabled={isAdded || add.isPending}
              onClick={() => !isAdded && !add.isPending && choose()}
            >
              <Icon name={isAdded ? 'check' : 'plus'} size={16} />
              <span>
                <Text span display="block" fw="bold">
                  {preset.title}
                  {/* Seen, it is the check mark: more text would move the presets below. */}
                  {isAdded && <span className="visually-hidden"> {rulesMessages.presetAdded}</span>}
                </Text>
                <Text span display="block" c="dimmed" size="sm">
                  {preset.description} {lowers && rulesMessages.presetLowers}
                </Text>
              </span>
            </UnstyledButton>
          );
        })}
      </SimpleGrid>
    </details>
  );
}

function useAddPreset(serviceId: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (preset: RulePreset) =>
      Promise.all(preset.rules.map((rule) => createRule(serviceId, { ...rule, methods: [...rule.methods] }))),
    onSuccess: (added, { title }) =>
      showDone(
        rulesMessages.presetDone(title),
        <Button
          size="xs"
          variant="default"
          mt={6}
          ms="xs"
          onClick={() => void undo(queryClient, serviceId, added, title)}
        >
          {rulesMessages.undo}
        </Button>,
      ),
    onError: showFailure,
    onSettled: () => refresh(queryClient, serviceId),
  });
}

async function undo(queryClient: QueryClient, serviceId: number, added: readonly RiskRule[], title: string) {
  try {
    for (const { id } of added) await deleteRule(serviceId, id);
    showDone(rulesMessages.presetUndone(title));
  } catch (error) {
    showFailure(error);
  }
  await refresh(queryClient, serviceId);
}

function refresh(queryClient: QueryClient, serviceId: number): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
  return queryClient.invalidateQueries({ queryKey: queryKeys.services.about(serviceId) });
}
