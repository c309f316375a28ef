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
export function ConnectFoot({ connect: { rejected, unreached, asked, busy, saveAnyway }, submitLabel, why }: Props) {
  const isDoubtful = rejected !== null || unreached !== null;
  return (
    <>
      <div role="status">
        {isDoubtful && (
          <Callout tone={rejected === null ? 'warning' : 'danger'}>
            {rejected === null
              ? serviceFormMessages.unreached(unreached ?? '')
              : serviceFormMessages.rejected(rejected)}{' '}
            {asked !== null && <span className="anywhere">{serviceFormMessages.asked(asked)}</span>}
          </Callout>
        )}
      </div>
      <Group gap="sm">
        <SubmitButton size="md" why={why} loading={busy}>
          {submitLabel}
        </SubmitButton>
        {isDoubtful && (
          <Button size="md" variant="default" disabled={busy} onClick={saveAnyway}>
            {serviceFormMessages.saveAnyway}
          </Button>
        )}
      </Group>
    </>
  );
}
