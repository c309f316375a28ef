import { Group, Paper, Text, UnstyledButton } from '@mantine/core';
import { useId, useRef, useState, type ReactNode } from 'react';
import { bytes } from '../lib/format.js';
import { showFailure } from '../lib/toasts.js';
import { fileDropMessages } from './file-drop-messages.js';
import { Icon } from './icon.js';
import classes from './file-drop.module.css';

interface Props {
  label: ReactNode;
  hint?: string;
  accept: string;
  onFile: (name: string, content: string) => void;
  maxBytes: number;
}

/** Longer text is not shown in a text field, because browsers become slow. */
export const EDITABLE_MAX = 100_000;

export const showTooLarge = (name: string, maxBytes: number) =>
  showFailure(new Error(fileDropMessages.tooLarge(name, bytes(maxBytes))));

/** Accepts a dropped text file, or opens the file picker. */
export function FileDrop({ label, hint, accept, onFile, maxBytes }: Props) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  async function take(file: File | undefined) {
    if (!file) return;
    if (file.size > maxBytes) showTooLarge(file.name, maxBytes);
    else onFile(file.name, await file.text());
  }
  return (
    <Paper
      radius="lg"
      p={14}
      ta="center"
      className={classes.drop}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files[0]);
      }}
    >
      <UnstyledButton
        mih={32}
        px="sm"
        c="var(--mantine-color-anchor)"
        fw={600}
        aria-describedby={hint && id}
        onClick={() => input.current?.click()}
      >
        <Group gap="sm" justify="center" wrap="nowrap">
          <Icon name="note" />
          <span>{label}</span>
        </Group>
      </UnstyledButton>
      {hint && (
        <Text id={id} size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
    </Paper>
  );
}
