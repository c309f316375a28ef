import type { TestServiceResult } from '#contracts';
import { Button, Group, Stack } from '@mantine/core';
import { Callout } from '../../components/notices.js';
import { messages } from './messages.js';

const text = messages.credentials;

interface Props {
  count: number;
  /** Required names without a value. */
  missing: string[];
  /** null if the credentials were saved without a successful test. */
  tested: TestServiceResult | null;
  close: () => void;
}

/** Says that the new credentials are in use. */
export function CredentialsReplaced({ count, missing, tested, close }: Props) {
  return (
    <Stack>
      <div role="status">
        <Callout tone={tested ? 'success' : 'warning'}>
          <b>{text.replaced}.</b> {text.replacedAt(count)} {text.inForce}{' '}
          {tested ? text.tested(tested.status!, tested.durationMs) : text.untested}
        </Callout>
        {missing.length > 0 && <Callout tone="danger">{text.stillMissing(missing.join(', '))}</Callout>}
      </div>
      <Group justify="flex-end">
        <Button onClick={close} data-autofocus>
          {text.done}
        </Button>
      </Group>
    </Stack>
  );
}
