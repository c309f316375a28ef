import type { Agent, Callback } from '#contracts';
import { Box, Grid, Modal, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../../components/loaded.js';
import { Callout, EmptyState } from '../../components/notices.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { Card, Section } from '../../components/page.js';
import { Terms } from '../../components/terms.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { callbackQuery } from './api.js';
import { CallbackForm } from './callback-form.js';
import { CallbackHosts } from './callback-hosts.js';
import { CallbackSecret } from './callback-secret.js';
import { Deliveries } from './deliveries.js';
import { messages } from './messages.js';

const text = messages.callback;

/** The callback of an agent and its deliveries. */
export function CallbackTab({ agent }: { agent: Agent }) {
  const query = useQuery(callbackQuery(agent.id));
  const may = useMay('admin');
  // The secret exists only here, until the user confirms that it is stored.
  const [shown, setShown] = useState<{ secret: string; done: string } | null>(null);
  return (
    <Stack gap="xl">
      <Text c="dimmed">{text.lead}</Text>
      {!agent.isActive && <Callout tone="warning">{text.agentRevoked}</Callout>}
      <CallbackHosts agent={agent} />
      <Loaded query={query}>
        {({ callback }) =>
          !may ? (
            <Receiver agent={agent} callback={callback} />
          ) : callback === null ? (
            <Box maw={800}>
              <Card>
                <CallbackForm
                  agentId={agent.id}
                  callback={null}
                  onSecret={(secret) => setShown({ secret, done: text.registered })}
                />
              </Card>
            </Box>
          ) : (
            <Registered
              agent={agent}
              callback={callback}
              onSecret={(secret) => setShown({ secret, done: text.rotated })}
            />
          )
        }
      </Loaded>
      {shown !== null && (
        <SecretDialog
          title={text.fresh(agent.name)}
          secret={shown.secret}
          onStored={() => {
            setShown(null);
            showDone(shown.done);
          }}
        />
      )}
    </Stack>
  );
}

/** Shown to people who may not change it. */
function Receiver({ agent, callback }: { agent: Agent; callback: Callback | null }) {
  if (callback === null) return <EmptyState icon="status" title={text.noReceiver} />;
  return (
    <>
      <StoppedHost callback={callback} />
      <Box maw={800}>
        <Section title={text.receiver}>
          <Card>
            <Terms
              items={[
                [
                  text.url,
                  <span className="mono" translate="no">
                    {callback.url}
                  </span>,
                ],
                [text.enabled, text.yesNo(callback.enabled)],
              ]}
            />
          </Card>
        </Section>
      </Box>
      <Deliveries agent={agent} whyNot={null} />
    </>
  );
}

function StoppedHost({ callback: { isHostListed, url } }: { callback: Callback }) {
  return !isHostListed && <Callout tone="warning">{messages.hosts.stopped(new URL(url).host)}</Callout>;
}

interface RegisteredProps {
  agent: Agent;
  callback: Callback;
  onSecret: (secret: string) => void;
}

function Registered({ agent, callback, onSecret }: RegisteredProps) {
  return (
    <>
      <StoppedHost callback={callback} />
      <Grid columns={5} gap="xl">
        <Grid.Col span={{ base: 5, md: 3 }}>
          <Card>
            <Stack>
              <Title order={2} size="h3">
                {text.receiver}
              </Title>
              <CallbackForm key={callback.updatedAt} agentId={agent.id} callback={callback} onSecret={onSecret} />
            </Stack>
          </Card>
        </Grid.Col>
        <Grid.Col span={{ base: 5, md: 2 }}>
          <Card>
            <CallbackSecret agent={agent} callback={callback} onSecret={onSecret} />
          </Card>
        </Grid.Col>
      </Grid>
      <Deliveries agent={agent} whyNot={whyNotSent(agent, callback)} />
    </>
  );
}

/** Why a test or redelivery cannot be sent now. */
function whyNotSent(agent: Agent, callback: Callback): string | null {
  if (!agent.isActive) return text.cantSend.revoked;
  if (!callback.enabled) return text.cantSend.off;
  return callback.isHostListed ? null : text.cantSend.host(new URL(callback.url).host);
}

function SecretDialog({ title, secret, onStored }: { title: string; secret: string; onStored: () => void }) {
  useReturnFocus();
  return (
    <Modal
      opened
      size="lg"
      title={title}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      onClose={() => {}}
    >
      <OneTimeSecret
        label={text.secret}
        value={secret}
        once={text.once}
        storedLabel={text.stored}
        onStored={onStored}
      />
    </Modal>
  );
}
