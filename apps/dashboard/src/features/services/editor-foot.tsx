import { Button, Group } from '@mantine/core';
import { SubmitButton } from '../../components/submit-button.js';
import { sharedMessages } from '../../lib/messages.js';
import { rulesMessages } from './rules-messages.js';

interface Props {
  /** Why the rule can't be saved, or null. */
  why: string | null;
  saving: boolean;
  /** Left out for a new rule. */
  remove?: { run: () => void; busy: boolean };
  close: () => void;
}

/** The buttons of a rule editor. */
export function EditorFoot({ why, saving, remove, close }: Props) {
  return (
    <Group justify="flex-end" gap="sm">
      {remove && (
        <Button variant="default" c="var(--agw-critical)" me="auto" loading={remove.busy} onClick={remove.run}>
          {rulesMessages.remove}
        </Button>
      )}
      <Button variant="default" onClick={close}>
        {sharedMessages.actions.cancel}
      </Button>
      <SubmitButton atEnd why={why} loading={saving}>
        {rulesMessages.save}
      </SubmitButton>
    </Group>
  );
}
