import type { Service, ServiceUsage } from '#contracts';
import { Group, Stack } from '@mantine/core';
import { Link } from 'react-router';
import { Callout } from '../../components/notices.js';
import { messages } from './messages.js';
import { credentialsMessages } from './credentials-messages.js';
import { risenRejections } from '../../lib/rejections.js';
import { RevertButton } from './revert-button.js';

const text = messages.rotation.risen;

/**
 * Warns that the API rejects more requests since the credentials were replaced, with the button that puts the old ones
 * back.
 */
export function RejectionNotice({ service, usage }: { service: Service; usage: ServiceUsage | undefined }) {
  const risen = risenRejections(usage);
  if (risen === null) return null;
  const { before, after } = risen;
  return (
    <div role="status">
      <Callout tone="danger">
        <Stack gap="sm">
          <span>{text.text(after.rejected, after.answers, before.rejected, before.answers)}</span>
          <Group gap="sm">
            {service.previousCredentials ? (
              <RevertButton service={service} size="xs" />
            ) : (
              <span>{text.nothingKept}</span>
            )}
            <Link to={`/history?service=${service.id}&status=4&range=24h`}>{credentialsMessages.seeThem}</Link>
          </Group>
        </Stack>
      </Callout>
    </div>
  );
}
