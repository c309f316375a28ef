import { Button, Group } from '@mantine/core';
import { SubmitButton } from '../../components/submit-button.js';
import { sharedMessages } from '../../lib/messages.js';
import { credentialsMessages } from './credentials-messages.js';

interface Props {
  /** The API did not accept the new credentials, so the user decides whether to save them. */
  doubtful: boolean;
  /** The service already has credentials. */
  replacing: boolean;
  /** Why the form can't be submitted, or null. */
  why: string | null;
  testing: boolean;
  busy: boolean;
  saveAnyway: () => void;
  close: () => void;
}

/** The buttons below new credentials. */
export function RotateButtons({ doubtful, replacing, why, testing, busy, saveAnyway, close }: Props) {
  return (
    <Group justify="flex-end" gap="sm">
      {doubtful ? (
        <>
          <Button variant="default" disabled={busy} onClick={saveAnyway}>
            {credentialsMessages.saveAnyway}
          </Button>
          <SubmitButton atEnd variant="default" why={why} loading={testing}>
            {credentialsMessages.save}
          </SubmitButton>
          <Button disabled={busy} onClick={close}>
            {replacing ? credentialsMessages.keepOld : credentialsMessages.storeNone}
          </Button>
        </>
      ) : (
        <>
          <Button variant="default" onClick={close}>
            {sharedMessages.actions.cancel}
          </Button>
          <SubmitButton atEnd why={why} loading={busy}>
            {credentialsMessages.save}
          </SubmitButton>
        </>
      )}
    </Group>
  );
}
