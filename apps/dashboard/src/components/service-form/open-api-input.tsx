import { Button, Group, Input } from '@mantine/core';
import { useId, useRef, useState } from 'react';
import { DOCUMENTATION_BODY_MAX_BYTES } from '#contracts/limits';
import { bytes } from '../../lib/format.js';
import { messages } from './messages.js';

interface Props {
  content: string | null;
  onChange: (content: string | null) => void;
}

/** Accepts an OpenAPI document as a file or as pasted text. */
export function OpenApiInput({ content, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const [over, setOver] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const id = useId();
  const size = content === null ? 0 : new Blob([content]).size;

  async function take(files: FileList | null) {
    const first = files?.[0];
    if (first && first.size <= DOCUMENTATION_BODY_MAX_BYTES) onChange(await first.text());
  }

  return (
    <Input.Wrapper
      id={id}
      label={`${messages.openapi} (${messages.openapiOptional})`}
      description={messages.openapiHint}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files);
      }}
    >
      <Group
        gap="sm"
        my={6}
        p={10}
        bd="1px dashed var(--agw-line-strong)"
        bdrs="md"
        bg={over ? 'var(--agw-selected)' : undefined}
      >
        {content !== null ? (
          <>
            <span>{messages.openapiLoaded(bytes(size))}</span>
            <Button size="xs" variant="subtle" onClick={() => onChange(null)}>
              {messages.openapiRemove}
            </Button>
          </>
        ) : (
          <>
            <Button size="xs" variant="default" onClick={() => file.current?.click()}>
              {messages.openapiFile}
            </Button>
            <Button size="xs" variant="subtle" aria-expanded={open} onClick={() => setOpen(!open)}>
              {messages.openapiPaste}
            </Button>
          </>
        )}
        <input
          ref={file}
          type="file"
          accept=".json,.yaml,.yml,application/json,application/yaml"
          hidden
          onChange={(event) => void take(event.currentTarget.files)}
        />
      </Group>
      {open && content === null && (
        <Input
          component="textarea"
          id={id}
          multiline
          rows={6}
          classNames={{ input: 'mono' }}
          onChange={(event) => {
            if (event.currentTarget.value.trim().length > 20) onChange(event.currentTarget.value);
          }}
        />
      )}
    </Input.Wrapper>
  );
}
