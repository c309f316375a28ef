import { EFFECTS } from '#contracts/effects';
import { ActionIcon, Chip, Group, NativeSelect, Paper, Text, TextInput } from '@mantine/core';
import { useId } from 'react';
import { Icon } from '../../components/icon.js';
import { conditionMessages } from '../../components/rule-sentence/condition-messages.js';
import { partWords } from '../../components/rule-sentence/condition-words.js';
import {
  EFFECT_TESTS,
  EMPTY_PART,
  hasValue,
  isNumberTest,
  NUMBER_TESTS,
  OTHER_TESTS,
  QUERY_TESTS,
  TEXT_TESTS,
  type ConditionPart,
  type ConditionSubject,
  type ConditionTest,
} from '../../lib/condition.js';
import { conditionFieldMessages } from './condition-field-messages.js';
import type { KnownField } from './known-fields.js';

interface Props {
  part: ConditionPart;
  /** Suggestions for fields of the body. */
  fields: readonly KnownField[];
  /** Suggestions for query parameters. */
  queryParameters: readonly string[];
  /** With null, the part is removed. */
  onChange: (part: ConditionPart | null) => void;
}

const FIRST_TEST: Record<ConditionSubject, ConditionTest> = {
  body: '>',
  query: 'is',
  effects: 'any',
  firstTime: 'present',
  mutation: 'present',
};

/** One part of a simple condition. */
export function ConditionRow({ part, fields, queryParameters, onChange }: Props) {
  const { on } = part;
  return (
    <Paper withBorder p="sm">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          // Beside the test of effects, there is room for the button.
          flex={on === 'effects' ? '1 1 120px' : '1 1 150px'}
          size="xs"
          label={conditionFieldMessages.on}
          value={on}
          data={Object.entries(conditionFieldMessages.subjects).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget: { value } }) => {
            const subject = value as ConditionSubject;
            onChange({ ...EMPTY_PART, on: subject, is: FIRST_TEST[subject] });
          }}
        />
        {(on === 'body' || on === 'query') && <FieldTest {...{ part, fields, queryParameters, onChange }} />}
        {on === 'effects' && <EffectTest part={part} onChange={onChange} />}
        {(on === 'firstTime' || on === 'mutation') && (
          <Text size="sm" c="dimmed" flex="3 1 200px" py={5}>
            {conditionFieldMessages[`${on}Hint`]}
          </Text>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={30}
          ms="auto"
          aria-label={conditionFieldMessages.remove(partWords(part))}
          onClick={() => onChange(null)}
        >
          <Icon name="cross" size={16} />
        </ActionIcon>
        {on === 'effects' && <EffectChoice part={part} onChange={onChange} />}
      </Group>
    </Paper>
  );
}

/** The test that suits the values of a field, and how its numbers are read. */
function suited(part: ConditionPart, field: KnownField | undefined): Partial<ConditionPart> {
  if (!field?.kind || part.value !== '') return {};
  const is = field.kind === 'number' ? '>' : field.kind === 'truth' ? 'true' : 'is';
  return { is, isForm: field.isForm && isNumberTest(is) };
}

function FieldTest({ part, fields, queryParameters, onChange }: Props) {
  const list = useId();
  const isBody = part.on === 'body';
  const groups = isBody
    ? ([
        ['number', NUMBER_TESTS],
        ['text', TEXT_TESTS],
        ['other', OTHER_TESTS],
      ] as const)
    : ([['text', QUERY_TESTS]] as const);
  return (
    <>
      <TextInput
        flex="2 1 130px"
        size="xs"
        label={conditionFieldMessages.field}
        placeholder={isBody ? conditionFieldMessages.fieldPlaceholder : conditionFieldMessages.queryPlaceholder}
        classNames={{ input: 'mono' }}
        list={list}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={part.field}
        onChange={({ currentTarget: { value } }) => {
          const field = fields.find(({ name }) => name === value.trim());
          onChange({ ...part, field: value.trim(), ...(isBody && suited(part, field)) });
        }}
      />
      <datalist id={list}>
        {(isBody ? fields.map(({ name }) => name) : queryParameters).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <NativeSelect
        flex="1 1 110px"
        size="xs"
        label={conditionFieldMessages.test}
        value={part.is}
        data={groups.map(([group, tests]) => ({
          group: conditionFieldMessages.tests[group],
          items: tests.map((value) => ({ value, label: conditionMessages.tests[value] })),
        }))}
        onChange={({ currentTarget: { value } }) => {
          const is = value as ConditionTest;
          const isForm = isNumberTest(is) && (fields.find(({ name }) => name === part.field)?.isForm ?? part.isForm);
          onChange({ ...part, is, isForm, value: hasValue({ ...part, is }) ? part.value : '' });
        }}
      />
      {hasValue(part) && (
        <TextInput
          flex="1 1 110px"
          size="xs"
          label={conditionFieldMessages.value}
          placeholder={part.is === 'oneOf' ? conditionFieldMessages.listHint : undefined}
          inputMode={isNumberTest(part.is) ? 'decimal' : undefined}
          autoComplete="off"
          value={part.value}
          onChange={({ currentTarget: { value } }) => onChange({ ...part, value })}
        />
      )}
    </>
  );
}

function EffectTest({ part, onChange }: Pick<Props, 'part' | 'onChange'>) {
  return (
    <NativeSelect
      flex="2 1 120px"
      size="xs"
      label={conditionFieldMessages.test}
      value={part.is}
      data={EFFECT_TESTS.map((value) => ({ value, label: conditionFieldMessages[value] }))}
      onChange={({ currentTarget: { value } }) => onChange({ ...part, is: value as ConditionTest })}
    />
  );
}

function EffectChoice({ part, onChange }: Pick<Props, 'part' | 'onChange'>) {
  return (
    <Chip.Group
      multiple
      value={[...part.effects]}
      onChange={(chosen) => onChange({ ...part, effects: EFFECTS.filter((effect) => chosen.includes(effect)) })}
    >
      <Group gap={6} w="100%" role="group" aria-label={conditionFieldMessages.effects}>
        {EFFECTS.map((effect) => (
          <Chip key={effect} size="xs" radius="sm" value={effect}>
            {conditionMessages.effects[effect]}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}
