import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormError } from './form-foot.js';
import { sharedMessages } from '../lib/messages.js';
import { useReturnFocus } from '../lib/return-focus.js';

interface Props {
  title: string;
  /** The button that confirms. */
  label: string;
  danger?: boolean;
  /** The request that the button starts. */
  change: { isPending: boolean; error: unknown; mutate: () => void };
  close: () => void;
  /** Says what will happen. */
  children: ReactNode;
}

/** Asks before a change that takes something away from a person. */
export function ConfirmDialog({ title, label, danger = false, change, close, children }: Props) {
  useReturnFocus();
  return (
    <Modal opened onClose={close} title={title}>
      <Stack>
        {children}
        <FormError error={change.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            {sharedMessages.actions.cancel}
          </Button>
          <Button color={danger ? 'danger' : undefined} loading={change.isPending} onClick={() => change.mutate()}>
            {label}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
