import type { Agent, RiskRule, Service } from '#contracts';
import { Button, Group, Modal, Paper, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormError } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { ruleName, RuleSentence } from '../../components/rule-sentence/rule-sentence.js';
import { SubmitButton } from '../../components/submit-button.js';
import { sharedMessages } from '../../lib/messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { createRule, deleteRule, updateRule } from './api.js';
import { rulesMessages } from './rules-messages.js';
import { expressionProblem } from './expression-problem.js';
import {
  conditionOf,
  draftLimit,
  EMPTY_RULE,
  isUnbounded,
  ruleFault,
  toRequest,
  toRuleDraft,
  type RuleDraft,
} from './rule-draft.js';
import { FoldedVersions } from './folded-versions.js';
import { RuleForce } from './rule-force.js';
import { RuleFields } from './rule-fields.js';
import { RulePreviewLines, useRulePreview } from './rule-preview.js';

interface Props {
  service: Service;
  /** null for a new rule. */
  rule: RiskRule | null;
  /** The agents with access to the service. */
  agents: readonly Agent[];
  agentName: (id: number) => string;
  close: () => void;
}

/** Edits a rule. It shows the rule as a sentence and what it would have matched. */
export function RuleEditor({ service, rule, agents, agentName, close }: Props) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<RuleDraft>(rule ? toRuleDraft(rule) : EMPTY_RULE);
  const said = { ...draft, when: conditionOf(draft) };
  const request = toRequest(draft, ruleName(said));
  const settled = {
    onSuccess: (saved: boolean) => {
      showDone(saved ? rulesMessages.saved : rulesMessages.removed);
      close();
      void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.rules(service.id) });
    },
  };
  const save = useMutation({
    mutationFn: async () => {
      await (rule ? updateRule(service.id, rule.id, request) : createRule(service.id, request));
      return true;
    },
    ...settled,
  });
  const remove = useMutation({
    mutationFn: async () => {
      await deleteRule(service.id, rule!.id);
      return false;
    },
    ...settled,
  });
  const change = (next: RuleDraft) => {
    setDraft(next);
    // What the gateway said was about the earlier text.
    save.reset();
  };
  const fault = ruleFault(draft);
  const preview = useRulePreview(service.id, request);
  const problemOf = (field: 'when' | 'limit.sum') =>
    expressionProblem(save.error, field) ?? expressionProblem(preview.query.error, field);
  const [problem, sumProblem] = [problemOf('when'), problemOf('limit.sum')];
  const isSound = problem === null && sumProblem === null;
  return (
    <Modal
      opened
      onClose={close}
      title={rule ? rulesMessages.editTitle : rulesMessages.newTitle}
      size="lg"
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) save.mutate();
        }}
      >
        <Stack gap="lg">
          <Paper p="md" bg="var(--agw-sunken)" aria-label={rulesMessages.sentence} role="group">
            <RuleSentence
              rule={{ ...said, limit: fault === 'limit' ? null : draftLimit(draft) }}
              agentName={agentName}
            />
          </Paper>
          <RuleForce serviceId={service.id} draft={draft} rule={rule} />
          <RuleFields
            serviceId={service.id}
            draft={draft}
            agents={agents}
            onChange={change}
            problem={problem}
            sumProblem={sumProblem}
          />
          {isUnbounded(draft) && <Callout tone="warning">{rulesMessages.broad}</Callout>}
          {fault === null && isSound && (
            <RulePreviewLines
              serviceId={service.id}
              rule={{ ...request, ...(rule && { id: rule.id }) }}
              preview={preview}
            />
          )}
          <FormError error={(isSound && save.error) || remove.error} />
          {rule && <FoldedVersions serviceId={service.id} rule={rule} agentName={agentName} close={close} />}
          <Group justify="flex-end" gap="sm">
            {rule && (
              <Button
                variant="default"
                c="var(--agw-critical)"
                me="auto"
                loading={remove.isPending}
                onClick={() => remove.mutate()}
              >
                {rulesMessages.remove}
              </Button>
            )}
            <Button variant="default" onClick={close}>
              {sharedMessages.actions.cancel}
            </Button>
            <SubmitButton atEnd why={fault && rulesMessages.why[fault]} loading={save.isPending}>
              {rulesMessages.save}
            </SubmitButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
