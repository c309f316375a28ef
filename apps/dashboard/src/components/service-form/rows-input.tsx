import { Group, Input, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { TemplateRow } from './auth-draft.js';
import type { CredentialRow } from './credential-row.js';
import { serviceFormMessages } from './messages.js';
import { AddRow, RemoveRow } from './row-buttons.js';

interface Props<T extends CredentialRow> {
  label: string;
  hint: string;
  nameLabel: string;
  valueLabel: string;
  addLabel: string;
  rows: readonly T[];
  empty: T;
  onChange: (rows: T[]) => void;
}

/** Settings for text that programs read. */
const CODE = { autoComplete: 'off', spellCheck: false, classNames: { input: 'mono' } };

const isTemplate = (row: CredentialRow): row is TemplateRow => 'place' in row;

/** Names with values that are not secret, in any number. Templates also have a place: a header or the query. */
export function RowsInput<T extends CredentialRow>(props: Props<T>) {
  const { label, hint, nameLabel, valueLabel, addLabel, rows, empty, onChange } = props;
  const set = (index: number, change: Partial<T>) =>
    onChange(rows.map((row, each) => (each === index ? { ...row, ...change } : row)));
  return (
    <Input.Wrapper label={label} labelElement="div" description={hint}>
      <Stack gap={10} mt={6}>
        {rows.map((row, index) => (
          <Group key={index} gap="sm" align="flex-end">
            {isTemplate(row) && (
              <NativeSelect
                flex="0 0 110px"
                label={serviceFormMessages.template.place}
                value={row.place}
                data={Object.entries(serviceFormMessages.template.places).map(([value, each]) => ({
                  value,
                  label: each,
                }))}
                onChange={(event) => set(index, { place: event.currentTarget.value } as unknown as Partial<T>)}
              />
            )}
            <TextInput
              flex="1 1 120px"
              label={nameLabel}
              value={row.name}
              onChange={(event) => set(index, { name: event.currentTarget.value } as Partial<T>)}
              {...CODE}
            />
            <TextInput
              flex="2 1 160px"
              label={valueLabel}
              value={row.value}
              onChange={(event) => set(index, { value: event.currentTarget.value } as Partial<T>)}
              {...CODE}
            />
            <RemoveRow
              label={serviceFormMessages.removeRow(row.name)}
              remove={() => onChange(rows.filter((_, each) => each !== index))}
            />
          </Group>
        ))}
        <AddRow label={addLabel} add={() => onChange([...rows, empty])} />
      </Stack>
    </Input.Wrapper>
  );
}
