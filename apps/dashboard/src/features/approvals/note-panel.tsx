import { Button, Group, Input, Stack } from '@mantine/core';
import { useId, useState } from 'react';
import { NOTE_MAX } from '#contracts/limits';
import { draft, keepDraft } from '../../lib/drafts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { messages } from './messages.js';

const GROW_ON_PHONES = { base: '1 0 auto', xs: 'none' };

interface NoteProps {
  draftKey: string;
  /** Whether the person has opened it just now. */
  focused: boolean;
  busy: boolean;
  send: (note: string) => void;
  close: () => void;
}

/** Phones do not have these keys. */
const sendKeys = (): string =>
  matchMedia('(hover: hover)').matches
    ? messages.decide.noteKeys(navigator.platform.startsWith('Mac') ? '⌘ Enter' : 'Ctrl Enter')
    : '';

/** Denies with a note to the agent. */
export function NotePanel({ draftKey, focused, busy, send, close }: NoteProps) {
  const id = useId();
  const [note, setNote] = useState(() => draft(draftKey));
  useUnsaved(note !== '', null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send(note.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !event.repeat) send(note.trim());
        else if (event.key === 'Escape') close();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <Stack gap="sm" maw={704} pt={6} pb={2}>
        <Input.Wrapper id={id} label={messages.decide.note} description={messages.decide.noteHint + sendKeys()}>
          <Input
            component="textarea"
            id={id}
            rows={3}
            multiline
            maxLength={NOTE_MAX}
            autoFocus={focused}
            value={note}
            onChange={(event) => {
              setNote(event.currentTarget.value);
              keepDraft(draftKey, event.currentTarget.value);
            }}
          />
        </Input.Wrapper>
        <Group justify="flex-end">
          <Button variant="default" onClick={close} h={48} flex={GROW_ON_PHONES}>
            {messages.decide.cancel}
          </Button>
          <Button type="submit" color="danger" loading={busy} h={48} flex={GROW_ON_PHONES}>
            {messages.decide.deny}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
