import type { Agent } from '#contracts';
import { PATH_PATTERN_MAX, RULE_INSTRUCTION_MAX, RULE_NAME_MAX } from '#contracts/limits';
import { HTTP_METHODS, RULE_EFFECTS } from '#contracts/states';
import { Box, NativeSelect, SegmentedControl, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { messages as ruleWords } from '../../components/rule-sentence/messages.js';
import { ruleName } from '../../components/rule-sentence/rule-sentence.js';
import { dateTime } from '../../lib/format.js';
import { ApprovalFields } from './approval-fields.js';
import { Chips } from './chips.js';
import { messages } from './messages.js';
import { messages as text } from './rules-messages.js';
import { ruleFault, type RuleDraft } from './rule-draft.js';

interface Props {
  draft: RuleDraft;
  /** The agents with access to the service. */
  agents: readonly Agent[];
  onChange: (draft: RuleDraft) => void;
}

/** The fields of a rule. */
export function RuleFields({ draft, agents, onChange }: Props) {
  const set = (change: Partial<RuleDraft>) => onChange({ ...draft, ...change });
  const fault = ruleFault(draft);
  return (
    <>
      <div>
        <Text size="sm" fw={600} mb={4}>
          {text.effect}
        </Text>
        <Box style={{ overflowX: 'auto' }}>
          <SegmentedControl
            aria-label={text.effect}
            value={draft.effect}
            data={RULE_EFFECTS.map((value) => ({ value, label: ruleWords.effects[value] }))}
            onChange={(effect) => set({ effect })}
          />
        </Box>
      </div>
      {draft.effect === 'guidance' && (
        <Textarea
          label={text.instruction}
          placeholder={text.instructionPlaceholder}
          maxLength={RULE_INSTRUCTION_MAX}
          autosize
          minRows={2}
          value={draft.instruction}
          onChange={(event) => set({ instruction: event.currentTarget.value })}
        />
      )}
      {draft.effect === 'require_approval' && <ApprovalFields draft={draft} set={set} />}
      <Chips
        legend={text.methods}
        hint={text.methodsHint}
        value={draft.methods}
        options={HTTP_METHODS.map((method) => ({ value: method, label: method }))}
        onChange={(chosen) => set({ methods: HTTP_METHODS.filter((method) => chosen.includes(method)) })}
      />
      <TextInput
        label={text.path}
        description={text.pathHint}
        placeholder={text.pathPlaceholder}
        classNames={{ input: 'mono' }}
        maxLength={PATH_PATTERN_MAX}
        autoComplete="off"
        spellCheck={false}
        value={draft.pathPattern}
        onChange={(event) => set({ pathPattern: event.currentTarget.value })}
        error={fault === 'path' ? messages.test.badPath : undefined}
      />
      {agents.length > 0 && (
        <Chips
          legend={text.agents}
          hint={text.agentsHint}
          value={draft.agentIds.map(String)}
          options={agents.map(({ id, name }) => ({ value: String(id), label: name }))}
          onChange={(chosen) => set({ agentIds: chosen.map(Number) })}
        />
      )}
      <SimpleGrid minColWidth="min(200px, 100%)" autoFlow="auto-fit">
        <NativeSelect
          label={text.ends}
          value={String(draft.ends)}
          data={[
            { value: 'never', label: text.endless },
            ...(draft.expiresAt ? [{ value: 'keep', label: text.keeps(dateTime(draft.expiresAt)) }] : []),
            ...Object.entries(text.endsIn).map(([value, label]) => ({ value, label })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            set({ ends: value === 'never' || value === 'keep' ? value : Number(value) })
          }
        />
        <TextInput
          label={text.maxUses}
          placeholder={text.maxUsesHint}
          inputMode="numeric"
          value={draft.maxUses}
          error={fault === 'uses'}
          onChange={(event) => set({ maxUses: event.currentTarget.value.trim() })}
        />
      </SimpleGrid>
      <TextInput
        label={text.name}
        description={text.nameHint}
        placeholder={ruleName(draft)}
        maxLength={RULE_NAME_MAX}
        autoComplete="off"
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
    </>
  );
}
