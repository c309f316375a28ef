import type { Agent } from '#contracts';
import { PATH_PATTERN_MAX, RULE_INSTRUCTION_MAX, RULE_NAME_MAX } from '#contracts/limits';
import { HTTP_METHODS, RULE_EFFECTS } from '#contracts/states';
import { Box, SegmentedControl, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { ruleSentenceMessages } from '../../components/rule-sentence/messages.js';
import { ruleName } from '../../components/rule-sentence/rule-sentence.js';
import { ApprovalFields } from './approval-fields.js';
import { ConditionField } from './condition-field.js';
import { Chips } from '../../components/chips.js';
import { EndFields } from './end-fields.js';
import { LimitFields } from './limit-fields.js';
import { messages } from './messages.js';
import { OperationField } from './operation-field.js';
import { rulesMessages } from './rules-messages.js';
import { conditionOf, mayObserve, ruleFault, type RuleDraft } from './rule-draft.js';

interface Props {
  serviceId: number;
  draft: RuleDraft;
  /** The agents with access to the service. */
  agents: readonly Agent[];
  onChange: (draft: RuleDraft) => void;
  /** What the gateway says about the condition and about the sum of a limit, or null. */
  problem: string | null;
  sumProblem: string | null;
}

/** The fields of a rule. */
export function RuleFields({ serviceId, draft, agents, onChange, problem, sumProblem }: Props) {
  const set = (change: Partial<RuleDraft>) => onChange({ ...draft, ...change });
  const fault = ruleFault(draft);
  return (
    <>
      <div>
        <Text size="sm" fw={600} mb={4}>
          {rulesMessages.effect}
        </Text>
        <Box style={{ overflowX: 'auto' }}>
          <SegmentedControl
            aria-label={rulesMessages.effect}
            value={draft.effect}
            data={RULE_EFFECTS.map((value) => ({ value, label: ruleSentenceMessages.effects[value] }))}
            onChange={(effect) => set({ effect })}
          />
        </Box>
      </div>
      {draft.effect === 'guidance' && (
        <Textarea
          label={rulesMessages.instruction}
          placeholder={rulesMessages.instructionPlaceholder}
          maxLength={RULE_INSTRUCTION_MAX}
          autosize
          minRows={2}
          value={draft.instruction}
          onChange={(event) => set({ instruction: event.currentTarget.value })}
        />
      )}
      {draft.effect === 'limit' && <LimitFields serviceId={serviceId} draft={draft} set={set} problem={sumProblem} />}
      {draft.effect === 'require_approval' && <ApprovalFields draft={draft} set={set} />}
      <OperationField serviceId={serviceId} set={set} />
      <Chips
        legend={rulesMessages.methods}
        hint={rulesMessages.methodsHint}
        value={draft.methods}
        options={HTTP_METHODS.map((method) => ({ value: method, label: method }))}
        onChange={(chosen) => set({ methods: HTTP_METHODS.filter((method) => chosen.includes(method)) })}
      />
      <TextInput
        label={rulesMessages.path}
        description={rulesMessages.pathHint}
        placeholder={rulesMessages.pathPlaceholder}
        classNames={{ input: 'mono' }}
        maxLength={PATH_PATTERN_MAX}
        autoComplete="off"
        spellCheck={false}
        value={draft.pathPattern}
        onChange={(event) => set({ pathPattern: event.currentTarget.value })}
        error={fault === 'path' ? messages.test.badPath : undefined}
      />
      <ConditionField serviceId={serviceId} draft={draft} set={set} problem={problem} agents={agents} />
      {agents.length > 0 && (
        <Chips
          legend={rulesMessages.agents}
          hint={rulesMessages.agentsHint}
          value={draft.agentIds.map(String)}
          options={agents.map(({ id, name }) => ({ value: String(id), label: name }))}
          onChange={(chosen) => set({ agentIds: chosen.map(Number) })}
        />
      )}
      <EndFields draft={draft} set={set} hasUses={draft.effect !== 'limit'} />
      {mayObserve(draft) && (
        <Switch
          label={rulesMessages.observe}
          description={rulesMessages.observeHint}
          checked={draft.mode === 'observe'}
          onChange={(event) => set({ mode: event.currentTarget.checked ? 'observe' : 'enforce' })}
        />
      )}
      <TextInput
        label={rulesMessages.name}
        description={rulesMessages.nameHint}
        placeholder={ruleName({ ...draft, when: conditionOf(draft) })}
        maxLength={RULE_NAME_MAX}
        autoComplete="off"
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
    </>
  );
}
