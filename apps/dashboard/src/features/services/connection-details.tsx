import type { Service } from '#contracts';
import { Group, Stack, Text, Title } from '@mantine/core';
import { Chip } from '../../components/chip.js';
import { Callout } from '../../components/notices.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { ConnectButton } from './connect-button.js';
import { needsPerson, renewsItself } from '../../lib/connection-state.js';
import { messages } from './messages.js';
import { useConnectionOutcome } from './use-connection-outcome.js';

const text = messages.connection;
const TONES = { connected: 'good', expired: 'good', reconnect: 'bad', none: 'warning' } as const;

/** The connection of a service to its OAuth provider: who connected it, its scopes and its expiry. */
export function ConnectionDetails({ service }: { service: Service }) {
  const { connection } = service;
  const outcome = useConnectionOutcome();
  if (connection === null) return null;
  const { state, connectedBy, connectedAt, scopes, expiresAt, error } = connection;
  // The notice above says why.
  const isTold = outcome === 'denied' || outcome === 'failed';
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2} size="h3">
            {text.title}
          </Title>
          <Chip tone={TONES[state]}>{text.states[state]}</Chip>
        </Group>
        {!needsPerson(service) && <ConnectButton service={service} variant="default" />}
      </Group>
      {needsPerson(service) && (
        <>
          {!isTold && <Text>{state === 'none' ? text.none : text.ended}</Text>}
          <ConnectButton service={service} w="fit-content" />
        </>
      )}
      <Terms
        items={[
          [
            text.by,
            connectedBy && connectedAt && (
              <>
                {connectedBy.name}, <Moment at={connectedAt} />
              </>
            ),
          ],
          [
            text.scopes,
            scopes.length > 0 && (
              <span className="mono" translate="no">
                {scopes.join(', ')}
              </span>
            ),
          ],
          [
            text.until,
            state === 'connected' && expiresAt !== null && (
              <>
                <Moment at={expiresAt} /> {renewsItself(service) && text.renews}
              </>
            ),
          ],
        ]}
      />
      {error !== null && !isTold && (
        <Callout tone={needsPerson(service) ? 'danger' : 'warning'}>{text.error(error)}</Callout>
      )}
    </Stack>
  );
}
