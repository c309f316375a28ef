import type { Passkey, PasskeyOptions } from '#contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../../components/loaded.js';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { ago, day } from '../../lib/format.js';
import { now } from '../../lib/clock.js';
import { failure, get, post } from '../../lib/http.js';
import { makePasskey, passkeysSupported } from '../../components/passkeys/ceremony.js';
import { setupStateQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { deviceName } from '#contracts/device-name';
import { messages } from './messages.js';
import { RemovePasskey, RenamePasskey } from './passkey-dialogs.js';

const text = messages.passkeys;

const passkeysQuery = queryOptions({
  queryKey: queryKeys.passkeys,
  queryFn: ({ signal }) => get<Passkey[]>('/auth/passkeys', undefined, signal),
});

/** The devices with which the person logs in and confirms. */
export function Passkeys() {
  const query = useQuery(passkeysQuery);
  const queryClient = useQueryClient();
  const { data: setup } = useQuery(setupStateQuery);
  const add = useMutation({
    mutationFn: async () => {
      const passkey = await makePasskey(await post<PasskeyOptions>('/auth/passkeys/options'));
      const name = deviceName(navigator.userAgent) ?? text.unnamed;
      return post<Passkey>('/auth/passkeys', { name, passkey });
    },
    onSuccess: () => {
      showDone(text.added);
      return queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey });
    },
  });
  const problem = setup && problemWith(setup.publicUrl);
  return (
    <Section title={text.title}>
      <Card>
        <Stack>
          <Text c="dimmed" size="sm">
            {text.lead}
          </Text>
          <Loaded query={query}>
            {(passkeys) => passkeys.map((passkey) => <Row key={passkey.id} passkey={passkey} />)}
          </Loaded>
          {problem ? (
            <Callout tone="info">{problem}</Callout>
          ) : (
            <Group>
              <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
                {text.add}
              </Button>
            </Group>
          )}
          <div role="alert">{add.isError && <Callout tone="danger">{failure(add.error).message}</Callout>}</div>
        </Stack>
      </Card>
    </Section>
  );
}

function Row({ passkey }: { passkey: Passkey }) {
  const [dialog, setDialog] = useState<'rename' | 'remove' | null>(null);
  const close = () => setDialog(null);
  const used = passkey.lastUsedAt === null ? text.unused : text.used(ago(passkey.lastUsedAt, now()));
  return (
    <Group justify="space-between">
      <div>
        <Text translate="no">{passkey.name}</Text>
        <Text c="dimmed" size="sm">
          {text.since(day(passkey.createdAt))} {used}
        </Text>
      </div>
      <Group gap="sm">
        <Button
          variant="default"
          size="xs"
          aria-label={text.renameIt(passkey.name)}
          onClick={() => setDialog('rename')}
        >
          {text.rename}
        </Button>
        <Button
          variant="default"
          size="xs"
          aria-label={text.removeIt(passkey.name)}
          onClick={() => setDialog('remove')}
        >
          {text.remove}
        </Button>
      </Group>
      {dialog === 'rename' && <RenamePasskey passkey={passkey} close={close} />}
      {dialog === 'remove' && <RemovePasskey passkey={passkey} close={close} />}
    </Group>
  );
}

/** Why this browser can't add a passkey on this page. */
function problemWith(publicUrl: string | null): string | null {
  if (publicUrl === null) return text.noUrl;
  const { origin, protocol, hostname } = new URL(publicUrl);
  const named = !/^[\d.]+$|^\[/.test(hostname);
  if (!named || (protocol !== 'https:' && !/(^|\.)localhost$/.test(hostname))) return text.badUrl(publicUrl);
  if (origin !== location.origin) return text.elsewhere(origin);
  return passkeysSupported() ? null : text.unsupported;
}
