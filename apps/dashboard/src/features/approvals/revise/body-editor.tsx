import type { RequestAmount } from '#contracts';
import { Anchor, Fieldset, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { amountWords } from '../../../lib/amount-words.js';
import { toFormFields, toFormText } from './form-fields.js';
import { toJsonFields, withValue, type JsonField } from './json-fields.js';
import { messages } from './messages.js';

interface Props {
  value: string;
  /** The amounts of the body, as the agent proposed it. */
  amounts: readonly RequestAmount[];
  /** Whether it is the body of a form (`application/x-www-form-urlencoded`). */
  isForm: boolean;
  onChange: (body: string) => void;
  /** Why the text is wrong. */
  error: string | false;
}

/** The body as fields if it is a form, or JSON, where they keep their types. Else as text. */
export function BodyEditor({ value, amounts, isForm, onChange, error }: Props) {
  const [asText, setAsText] = useState(false);
  const fields: Field[] | null = isForm ? formFields(value) : jsonFields(value);
  if (fields === null) return <BodyText label={messages.body} value={value} onChange={onChange} error={error} />;
  return (
    <Fieldset legend={<b>{messages.body}</b>}>
      <Stack gap="md">
        <Group justify="space-between" gap={0} mt={-4}>
          <Text size="sm" c="dimmed">
            {isForm ? messages.formHint : messages.fieldsHint}
          </Text>
          <Anchor component="button" type="button" size="sm" py={4} onClick={() => setAsText(!asText)}>
            {asText ? messages.asFields : messages.asText}
          </Anchor>
        </Group>
        {asText ? (
          <BodyText label={messages.text} value={value} onChange={onChange} error={error} />
        ) : (
          fields.map((field) => (
            <ValueField
              key={field.path}
              field={field}
              sum={sumOf(field, fields, amounts)}
              onChange={(written) => onChange(withValue(value, field, written))}
            />
          ))
        )}
      </Stack>
    </Fieldset>
  );
}

function BodyText({ label, value, onChange, error }: Omit<Props, 'isForm' | 'amounts'> & { label: string }) {
  return (
    <Textarea
      label={label}
      description={messages.bodyHint}
      classNames={{ input: 'mono' }}
      rows={10}
      resize="vertical"
      autoCapitalize="none"
      spellCheck={false}
      error={error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A field with the way in which the body writes a text. */
type Field = JsonField & { write: (text: string) => string };

const jsonFields = (body: string): Field[] | null =>
  toJsonFields(body)?.map((field) => ({ ...field, write: JSON.stringify })) ?? null;
const formFields = (body: string): Field[] | null =>
  toFormFields(body)?.map((field) => ({ ...field, write: (text) => toFormText(text, field) })) ?? null;

/** What a field that is an amount is as a sum. Undefined: it is none. */
function sumOf({ pointer, value }: Field, fields: readonly Field[], amounts: readonly RequestAmount[]) {
  const amount = amounts.find((each) => each.pointer === pointer);
  if (amount === undefined) return undefined;
  const { currency, currencyPointer } = amount;
  const typed = fields.find((each) => each.pointer === currencyPointer)?.value;
  // Another currency may count in another unit.
  if (currencyPointer.startsWith('/body') && typed?.toUpperCase() !== currency) return messages.otherCurrency(currency);
  return amountWords(value, amount) ?? messages.noSum(currency);
}

interface FieldProps {
  field: Field;
  sum: string | undefined;
  /** @param written the new value as the body writes it */
  onChange: (written: string) => void;
}

function ValueField({ field, sum, onChange }: FieldProps) {
  const { path, kind, value, write } = field;
  if (kind === 'number') return <NumberField field={field} sum={sum} onChange={onChange} />;
  const shared = { label: path, description: sum, classNames: { label: 'mono', input: 'mono' } };
  if (value === 'null' && kind === 'literal') return <TextInput {...shared} value="null" disabled />;
  if (kind === 'literal')
    return (
      <NativeSelect
        {...shared}
        data={['true', 'false']}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <Textarea
      {...shared}
      autosize
      minRows={1}
      maxRows={6}
      autoCapitalize="none"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(write(event.currentTarget.value))}
    />
  );
}

/** How JSON writes a number. It is also the `pattern` of the field, so the browser does not submit a wrong number. */
const NUMBER = '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+\\-]?[0-9]+)?';
const isNumber = (typed: string): boolean => new RegExp(`^(?:${NUMBER})$`).test(typed);

/** Shows typed text that is not a number yet. Until it is one, the body keeps the last number. */
function NumberField({ field: { path, value }, sum, onChange }: FieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      label={path}
      description={sum}
      classNames={{ label: 'mono', input: 'mono' }}
      inputMode="decimal"
      required
      withAsterisk={false}
      pattern={NUMBER}
      title={messages.number}
      error={typed !== null && messages.number}
      value={typed ?? value}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(isNumber(text) ? null : text);
        if (isNumber(text)) onChange(text);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
