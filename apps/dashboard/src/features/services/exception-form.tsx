import type { RiskRule } from '#contracts';
import { RULE_NAME_MAX } from '#contracts/limits';
import { Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RuleSentence } from '../../components/rule-sentence/rule-sentence.js';
import { firstField } from '../../lib/first-field.js';
import { useWorkspace } from '../../lib/workspace.js';
import { workspaceQuery } from '../../lib/workspace-query.js';
import { rulesQuery } from '../../lib/rules-query.js';
import { updateRule } from './api.js';
import { EditorFoot } from './editor-foot.js';
import { EndFields } from './end-fields.js';
import { ExceptionLine } from './exception-line.js';
import { exceptionMessages } from './exception-messages.js';
import { FoldedVersions } from './folded-versions.js';
import { isUseLimit, toExceptionChange, toRuleDraft, type ExceptionDraft } from './rule-draft.js';
import { rulesMessages } from './rules-messages.js';
import { useSaveRule } from './use-save-rule.js';

interface Props {
  serviceId: number;
  rule: RiskRule;
  agentName: (id: number) => string;
  close: () => void;
  /** The person has changed something. */
  onTyped: () => void;
}

/** Edits what may change of an exception (docs/reference/rules.md#exceptions), and says why the rest may not. */
export function ExceptionForm({ serviceId, rule, agentName, close, onTyped }: Props) {
  const [draft, setDraft] = useState<ExceptionDraft>(() => toRuleDraft(rule));
  const set = (change: Partial<ExceptionDraft>) => {
    setDraft({ ...draft, ...change });
    onTyped();
  };
  const { data: rules } = useQuery(rulesQuery(serviceId));
  const maxHours = useExceptionHours();
  const send = () => updateRule(serviceId, rule.id, toExceptionChange(draft, rule));
  const { save, remove } = useSaveRule(serviceId, rule, send, close);
  const why = isUseLimit(draft.maxUses) ? null : rulesMessages.why.uses;
  return (
    <form
      ref={firstField}
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) save.mutate();
      }}
    >
      <Stack gap="lg">
        <Paper p="md" bg="var(--agw-sunken)" aria-label={rulesMessages.sentence} role="group">
          <RuleSentence rule={rule} agentName={agentName} />
          {rules && <ExceptionLine rule={rule} rules={rules} />}
        </Paper>
        <Text size="sm" c="dimmed">
          {exceptionMessages.kept} {maxHours !== null && exceptionMessages.lasts(maxHours)}
        </Text>
        {/* The shortest that a workspace can choose is an hour. */}
        <EndFields draft={draft} set={set} maxMinutes={(maxHours ?? 1) * 60} />
        <TextInput
          label={rulesMessages.name}
          placeholder={rule.name}
          maxLength={RULE_NAME_MAX}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <FoldedVersions serviceId={serviceId} rule={rule} agentName={agentName} close={close} />
        <EditorFoot
          why={why}
          saving={save.isPending}
          error={save.error ?? remove.error}
          remove={{ run: () => remove.mutate(), busy: remove.isPending }}
          close={close}
        />
      </Stack>
    </form>
  );
}

/** For how long the workspace allows exceptions. Null: not known yet. */
function useExceptionHours(): number | null {
  const id = useWorkspace()?.id ?? 0;
  const { data } = useQuery({ ...workspaceQuery(id), enabled: id > 0 });
  return data?.settings.approverRuleMaxHours ?? null;
}
