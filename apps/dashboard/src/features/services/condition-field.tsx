import type { Agent } from '#contracts';
import type { RuleEffect } from '#contracts/states';
import { Anchor, Button, Checkbox, Fieldset, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Icon } from '../../components/icon.js';
import { EMPTY_PART, isNumberTest, type ConditionPart } from '../../lib/condition.js';
import { readCondition } from '../../lib/read-condition.js';
import { bodiesQuery, operationFieldsQuery } from './api.js';
import { CelField } from './cel-field.js';
import { conditionFieldMessages } from './condition-field-messages.js';
import { ConditionRow } from './condition-row.js';
import { describedNames, withDescribed } from './described-fields.js';
import { knownFields } from './known-fields.js';
import { conditionOf, type RuleDraft } from './rule-draft.js';

interface Props {
  serviceId: number;
  draft: RuleDraft;
  set: (change: Partial<RuleDraft>) => void;
  /** What the gateway says about the condition, or null. */
  problem: string | null;
  /** The agents with access to the service. */
  agents: readonly Pick<Agent, 'name'>[];
}

/** The condition of a rule: fields for the simple ones, and CEL for all others. */
export function ConditionField({ serviceId, draft, set, problem, agents }: Props) {
  const { parts } = draft;
  const { fields, described } = useNames(serviceId, draft);
  const change = (index: number, part: ConditionPart | null) =>
    set({ parts: parts!.flatMap((each, at) => (at !== index ? [each] : part === null ? [] : [part])) });
  const readable = parts === null ? readCondition(draft.when) : null;
  return (
    <Fieldset
      legend={
        <>
          {conditionFieldMessages.legend}
          <Text span display="block" c="dimmed" size="sm" fw={400} lh={1.3}>
            {conditionFieldMessages.hint}
          </Text>
        </>
      }
    >
      {parts === null ? (
        <CelField
          value={draft.when}
          onChange={(when) => set({ when })}
          problem={problem}
          known={{ ...described, fields: fields.map(({ name }) => name), agents: agents.map(({ name }) => name) }}
        />
      ) : (
        <Stack gap="sm">
          {parts.map((part, index) => (
            <ConditionRow
              key={index}
              part={part}
              fields={fields}
              queryParameters={described.queryParameters}
              onChange={(next) => change(index, next)}
            />
          ))}
          {problem && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {problem}
            </Text>
          )}
        </Stack>
      )}
      <FormNumbers draft={draft} set={set} />
      <Hints draft={draft} />
      <Group gap="sm" mt="xs">
        {parts !== null && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => set({ parts: [...parts, EMPTY_PART] })}
          >
            {conditionFieldMessages.add}
          </Button>
        )}
        {parts !== null ? (
          <Anchor
            component="button"
            type="button"
            size="sm"
            py="xs"
            onClick={() => set({ parts: null, when: conditionOf(draft) })}
          >
            {conditionFieldMessages.advanced}
          </Anchor>
        ) : readable === null ? (
          <Text size="sm" c="dimmed">
            {conditionFieldMessages.notSimple}
          </Text>
        ) : (
          <Anchor component="button" type="button" size="sm" py="xs" onClick={() => set({ parts: readable })}>
            {conditionFieldMessages.simple}
          </Anchor>
        )}
      </Group>
    </Fieldset>
  );
}

/** The names that recent bodies and the API's description have. */
function useNames(serviceId: number, { methods, pathPattern }: RuleDraft) {
  const { data: actions } = useQuery(bodiesQuery(serviceId));
  const { data: operations } = useQuery(operationFieldsQuery(serviceId));
  return useMemo(() => {
    const described = describedNames(operations ?? [], { methods, pathPattern });
    return { described, fields: withDescribed(knownFields(actions ?? []), described.fields) };
  }, [actions, operations, methods, pathPattern]);
}

/** Whether numbers are read in texts too. Shown where that makes a difference. */
function FormNumbers({ draft: { parts, effect }, set }: Pick<Props, 'draft' | 'set'>) {
  const comparesNumber = ({ on, is }: ConditionPart) => on === 'body' && isNumberTest(is);
  if (!parts?.some(comparesNumber)) return null;
  const isOn = parts.filter(comparesNumber).every(({ isForm }) => isForm);
  const hint = conditionFieldMessages.readsTextsHint;
  return (
    <Checkbox
      mt="sm"
      label={conditionFieldMessages.readsTexts}
      description={isOn ? hint.on : `${hint.off} ${hint[effect]}`}
      checked={isOn}
      onChange={({ currentTarget: { checked: isForm } }) =>
        set({ parts: parts.map((part) => (comparesNumber(part) ? { ...part, isForm } : part)) })
      }
    />
  );
}

/** What happens to requests without the field. */
function Hints({ draft }: { draft: Pick<RuleDraft, 'parts' | 'when' | 'effect' | 'methods'> }) {
  const fields = draft.parts?.filter(({ on, is }) => on === 'body' && is !== 'present' && is !== 'absent') ?? [];
  if (fields.length === 0) return null;
  const counts: RuleEffect[] = ['deny', 'limit', 'require_approval'];
  const meetsGet = draft.methods.length === 0 || draft.methods.includes('GET');
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {conditionFieldMessages.undecided[draft.effect]}{' '}
      {meetsGet && counts.includes(draft.effect) && conditionFieldMessages.bodiless}
    </Text>
  );
}
