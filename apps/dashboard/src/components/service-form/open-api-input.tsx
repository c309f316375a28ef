import { Button, Group, Input, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { DOCUMENTATION_BODY_MAX_BYTES } from '#contracts/limits';
import { bytes } from '../../lib/format.js';
import { fileDropMessages } from '../file-drop-messages.js';
import { EDITABLE_MAX, FileDrop, showTooLarge } from '../file-drop.js';
import { serviceFormMessages } from './messages.js';

interface Props {
  content: string | null;
  onChange: (content: string | null) => void;
}

const LABELS = {
  label: `${serviceFormMessages.openapi} (${serviceFormMessages.openapiOptional})`,
  description: serviceFormMessages.openapiHint,
};
const size = (content: string) => new Blob([content]).size;

/** Accepts an OpenAPI document as a file or as pasted text. */
export function OpenApiInput({ content, onChange }: Props) {
  const [pasting, setPasting] = useState(false);
  const remove = (
    <Button
      size="xs"
      variant="subtle"
      w="fit-content"
      onClick={() => {
        onChange(null);
        setPasting(false);
      }}
    >
      {serviceFormMessages.openapiRemove}
    </Button>
  );
  function take(text: string) {
    if (size(text) > DOCUMENTATION_BODY_MAX_BYTES) showTooLarge(fileDropMessages.pasted, DOCUMENTATION_BODY_MAX_BYTES);
    else onChange(text.trim() === '' ? null : text);
  }
  if (pasting && (content ?? '').length <= EDITABLE_MAX) {
    return (
      <Stack gap="xs">
        <Textarea
          {...LABELS}
          rows={6}
          resize="vertical"
          classNames={{ input: 'mono' }}
          autoFocus
          spellCheck={false}
          value={content ?? ''}
          onChange={(event) => take(event.currentTarget.value)}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text/plain');
            if (text.length <= EDITABLE_MAX) return;
            // The browser would need seconds to show it.
            event.preventDefault();
            take(text);
          }}
        />
        {remove}
      </Stack>
    );
  }
  return (
    <Input.Wrapper {...LABELS} labelElement="div">
      {content === null ? (
        <Stack gap="xs">
          <FileDrop
            label={serviceFormMessages.openapiFile}
            accept=".json,.yaml,.yml,application/json,application/yaml"
            maxBytes={DOCUMENTATION_BODY_MAX_BYTES}
            onFile={(_name, text) => onChange(text)}
          />
          <Button size="xs" variant="subtle" w="fit-content" onClick={() => setPasting(true)}>
            {serviceFormMessages.openapiPaste}
          </Button>
        </Stack>
      ) : (
        <Group gap="sm">
          <span>{serviceFormMessages.openapiLoaded(bytes(size(content)))}</span>
          {remove}
        </Group>
      )}
    </Input.Wrapper>
  );
}
