import { Anchor, Fieldset, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toJsonFields, withValue, type JsonField } from './json-fields.js';
import { messages } from './messages.js';

interface Props {
  value: string;
  onChange: (body: string) => void;
  /** Why the text is wrong. */
  error: string | false;
}

/** The body as fields that keep their types if it is JSON, or as text. */
export function BodyEditor({ value, onChange, error }: Props) {
  const [asText, setAsText] = useState(false);
  const fields = toJsonFields(value);
  if (fields === null) return <BodyText label={messages.body} value={value} onChange={onChange} error={error} />;
  return (
    <Fieldset legend={<b>{messages.body}</b>}>
      <Stack gap="md">
        <Group justify="space-between" gap={0} mt={-4}>
          <Text size="sm" c="dimmed">
            {messages.fieldsHint}
          </Text>
          <Anchor component="button" type="button" size="sm" py={4} onClick={() => setAsText(!asText)}>
            {asText ? messages.asFields : messages.asText}
          </Anchor>
        </Group>
        {asText ? (
          <BodyText label={messages.text} value={value} onChange={onChange} error={error} />
        ) : (
          fields.map((field) => (
            <ValueField key={field.path} field={field} onChange={(json) => onChange(withValue(value, field, json))} />
          ))
        )}
      </Stack>
    </Fieldset>
  );
}

function BodyText({ label, value, onChange, error }: Props & { label: string }) {
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

interface FieldProps {
  field: JsonField;
  /** @param json the new value as JSON */
  onChange: (json: string) => void;
}

function ValueField({ field, onChange }: FieldProps) {
  const { path, kind, value } = field;
  if (kind === 'number') return <NumberField field={field} onChange={onChange} />;
  const shared = { label: path, classNames: { label: 'mono', input: 'mono' } };
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
      onChange={(event) => onChange(JSON.stringify(event.currentTarget.value))}
    />
  );
}

/** How JSON writes a number. It is also the `pattern` of the field, so the browser does not submit a wrong number. */
const NUMBER = '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+\\-]?[0-9]+)?';
const isNumber = (typed: string): boolean => new RegExp(`^(?:${NUMBER})$`).test(typed);

/** Shows typed text that is not a number yet. Until it is one, the body keeps the last number. */
function NumberField({ field: { path, value }, onChange }: FieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      label={path}
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
