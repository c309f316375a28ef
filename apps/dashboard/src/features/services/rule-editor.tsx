import type { Agent, RiskRule, Service } from '#contracts';
import { Modal, Paper, Stack } from '@mantine/core';
import { useState } from 'react';
import { Callout } from '../../components/notices.js';
import { ruleName, RuleSentence } from '../../components/rule-sentence/rule-sentence.js';
import { firstField } from '../../lib/first-field.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { createRule, updateRule } from './api.js';
import { rulesMessages } from './rules-messages.js';
import { EditorFoot } from './editor-foot.js';
import { ExceptionForm } from './exception-form.js';
import { exceptionMessages } from './exception-messages.js';
import { expressionProblem } from './expression-problem.js';
import {
  conditionOf,
  draftLimit,
  EMPTY_RULE,
  isLimitCount,
  isUnbounded,
  ruleFault,
  toRequest,
  toRuleDraft,
  type RuleDraft,
  canMatch,
} from './rule-draft.js';
import { FoldedVersions } from './folded-versions.js';
import { RuleForce } from './rule-force.js';
import { RuleFields } from './rule-fields.js';
import { RulePreviewLines, useRulePreview } from './rule-preview.js';
import { useSaveRule } from './use-save-rule.js';

interface Props {
  service: Service;
  /** null for a new rule. */
  rule: RiskRule | null;
  /** What a new rule starts as. */
  start?: RuleDraft;
  /** The agents with access to the service. */
  agents: readonly Agent[];
  agentName: (id: number) => string;
  close: () => void;
}

/** A dialog that edits a rule, or what may change of an exception. */
export function RuleEditor(props: Props) {
  const { service, rule, agentName, close } = props;
  useReturnFocus();
  const [typed, setTyped] = useState(false);
  const mayClose = useUnsaved(typed);
  const onTyped = () => setTyped(true);
  const isException = rule !== null && rule.exceptionTo.length > 0;
  return (
    <Modal
      opened
      onClose={() => mayClose() && close()}
      title={isException ? exceptionMessages.editTitle : rule ? rulesMessages.editTitle : rulesMessages.newTitle}
      size="lg"
      closeOnClickOutside={false}
    >
      {isException ? (
        <ExceptionForm serviceId={service.id} rule={rule} agentName={agentName} close={close} onTyped={onTyped} />
      ) : (
        <RuleForm {...props} onTyped={onTyped} />
      )}
    </Modal>
  );
}

/** Shows the rule as a sentence and what it would have matched. */
function RuleForm({
  service,
  rule,
  start = EMPTY_RULE,
  agents,
  agentName,
  close,
  onTyped,
}: Props & { onTyped: () => void }) {
  const [draft, setDraft] = useState<RuleDraft>(rule ? toRuleDraft(rule) : start);
  const said = { ...draft, when: conditionOf(draft) };
  const request = toRequest(draft, ruleName(said));
  const send = () => (rule ? updateRule(service.id, rule.id, request) : createRule(service.id, request));
  const { save, remove } = useSaveRule(service.id, rule, send, close);
  const change = (next: RuleDraft) => {
    setDraft(next);
    onTyped();
    // What the gateway said was about the earlier text.
    save.reset();
  };
  const fault = ruleFault(draft);
  const preview = useRulePreview(service.id, request, canMatch(fault));
  const problemOf = (field: 'when' | 'limit.sum') =>
    expressionProblem(save.error, field) ?? expressionProblem(preview.query.error, field);
  const [problem, sumProblem] = [problemOf('when'), problemOf('limit.sum')];
  const isSound = problem === null && sumProblem === null;
  return (
    <form
      ref={firstField}
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === null) save.mutate();
      }}
    >
      <Stack gap="lg">
        <Paper p="md" bg="var(--agw-sunken)" aria-label={rulesMessages.sentence} role="group">
          <RuleSentence
            rule={{ ...said, limit: isLimitCount(draft) ? draftLimit(draft) : null }}
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
        {rule && <FoldedVersions serviceId={service.id} rule={rule} agentName={agentName} close={close} />}
        <EditorFoot
          why={fault && rulesMessages.why[fault]}
          saving={save.isPending}
          error={save.error ?? remove.error}
          remove={rule ? { run: () => remove.mutate(), busy: remove.isPending } : undefined}
          close={close}
        />
      </Stack>
    </form>
  );
}
