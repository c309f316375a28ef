import type { TestServiceResult } from '#contracts';
import { Button, Group, Stack } from '@mantine/core';
import { Callout } from '../../components/notices.js';
import { dateTime } from '../../lib/format.js';
import { messages } from './messages.js';
import { credentialsMessages } from './credentials-messages.js';
import { passed } from './rotation-verdict.js';

const { rotation } = messages;

interface Props {
  count: number;
  /** Required names without a value. */
  missing: string[];
  /** null if the credentials were saved without a successful test. */
  tested: TestServiceResult | null;
  /** Whether the service had credentials before. */
  replaced: boolean;
  /** The time until which the old credentials can be put back. null: they are deleted. */
  keptUntil: string | null;
  close: () => void;
}

/** Shows that the new credentials are in use, and how long the old ones are kept. */
export function CredentialsReplaced({ count, missing, tested, replaced, keptUntil, close }: Props) {
  return (
    <Stack>
      <div role="status">
        <Callout tone={tested ? 'success' : 'warning'}>
          <b>{credentialsMessages.replaced}.</b> {credentialsMessages.replacedAt(count)} {credentialsMessages.inForce}{' '}
          {tested ? passed(tested) : credentialsMessages.untested}{' '}
          {replaced && (keptUntil === null ? rotation.notKept : rotation.kept(dateTime(keptUntil)))}
        </Callout>
        {missing.length > 0 && <Callout tone="danger">{credentialsMessages.stillMissing(missing.join(', '))}</Callout>}
      </div>
      <Group justify="flex-end">
        <Button autoFocus onClick={close}>
          {credentialsMessages.done}
        </Button>
      </Group>
    </Stack>
  );
}
