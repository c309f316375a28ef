import { Button, Group } from '@mantine/core';
import { Callout } from '../notices.js';
import { SubmitButton } from '../submit-button.js';
import { serviceFormMessages } from './messages.js';
import type { Connect } from './use-connect.js';

interface Props {
  connect: Connect;
  submitLabel: string;
  /** Why the form can't be submitted, or null. */
  why: string | null;
}

/** The buttons below a new service, and the verdict of its API on the credentials. */
export function ConnectFoot({ connect: { rejected, busy, saveAnyway }, submitLabel, why }: Props) {
  return (
    <>
      <div role="status">
        {rejected !== null && <Callout tone="danger">{serviceFormMessages.rejected(rejected)}</Callout>}
      </div>
      <Group gap="sm">
        <SubmitButton size="md" why={why} loading={busy}>
          {submitLabel}
        </SubmitButton>
        {rejected !== null && (
          <Button size="md" variant="default" disabled={busy} onClick={saveAnyway}>
            {serviceFormMessages.saveAnyway}
          </Button>
        )}
      </Group>
    </>
  );
}
