import { Button, Group, Stack } from '@mantine/core';
import foot from '../../components/dialog-foot.module.css';
import { FormError } from '../../components/form-foot.js';
import { SubmitButton } from '../../components/submit-button.js';
import { sharedMessages } from '../../lib/messages.js';
import { rulesMessages } from './rules-messages.js';

interface Props {
  /** Why the rule can't be saved, or null. */
  why: string | null;
  saving: boolean;
  error: unknown;
  /** Left out for a new rule. */
  remove?: { run: () => void; busy: boolean };
  close: () => void;
}

/** The buttons of a rule editor, with the error of the last try. They stay in view. */
export function EditorFoot({ why, saving, error, remove, close }: Props) {
  return (
    <Stack gap="sm" className={foot.foot}>
      <FormError error={error} />
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
    </Stack>
  );
}
