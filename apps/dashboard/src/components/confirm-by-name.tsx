import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { sharedMessages } from '../lib/messages.js';
import { confirmByNameMessages } from './confirm-by-name-messages.js';
import { SubmitButton } from './submit-button.js';

interface Props {
  opened: boolean;
  title: string;
  /** The user must type this to continue. */
  name: string;
  /** Says what will be lost. */
  children: ReactNode;
  confirmLabel: string;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** A browser shows several spaces as one, and drops those at the ends. */
const asShown = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A confirmation for irreversible actions: the user types the name of the thing. */
export function ConfirmByName({ opened, title, name, children, confirmLabel, busy, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const isTyped = asShown(typed) === asShown(name);
  const { before, after } = confirmByNameMessages;
  const close = () => {
    setTyped('');
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped) onConfirm();
        }}
      >
        <Stack gap="lg">
          <Stack>{children}</Stack>
          <TextInput
            label={
              <>
                {before} <b translate="no">{name}</b> {after}
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {sharedMessages.actions.cancel}
            </Button>
            <SubmitButton atEnd color="danger" why={isTyped ? null : confirmByNameMessages.typeName} loading={busy}>
              {confirmLabel}
            </SubmitButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
