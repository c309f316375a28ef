import type { Identity, LinkIdentityResponse } from '#contracts';
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { SubmitButton } from '../../components/submit-button.js';
import { day } from '../../lib/format.js';
import { del, failure, get, post } from '../../lib/http.js';
import { messages as shared } from '../../lib/messages.js';
import { authMethodsQuery } from '../../lib/queries.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { messages } from './messages.js';

const text = messages.linked;
const identitiesKey = ['identities'];

/** The sign-ins at the OpenID provider that lead to this account. */
export function LinkedSignIns() {
  const { data: methods } = useQuery(authMethodsQuery);
  const { data: identities } = useQuery({
    queryKey: identitiesKey,
    queryFn: ({ signal }) => get<Identity[]>('/auth/oidc/identities', undefined, signal),
    enabled: Boolean(methods?.oidc),
  });
  const [linking, setLinking] = useState(false);
  if (!methods?.oidc || !identities) return null;
  const { name } = methods.oidc;
  return (
    <Section title={text.title}>
      <Card>
        <Stack>
          <Outcome />
          <Text c="dimmed" size="sm">
            {identities.length === 0 ? text.none(name) : text.lead(name)}
          </Text>
          {identities.map((identity) => (
            <Linked key={identity.id} identity={identity} />
          ))}
          {identities.length === 0 && (
            <Group>
              <Button variant="default" onClick={() => setLinking(true)}>
                {text.link(name)}
              </Button>
            </Group>
          )}
        </Stack>
      </Card>
      {linking && <LinkDialog name={name} close={() => setLinking(false)} />}
    </Section>
  );
}

/** How the link ended that the browser comes back from. */
function Outcome() {
  const [search] = useSearchParams();
  const fault = search.get('error');
  if (search.has('linked')) return <Callout tone="success">{text.done}</Callout>;
  if (fault === null) return null;
  return (
    <div role="alert">
      <Callout tone="danger">{fault === 'identity_taken' ? text.taken : text.failed}</Callout>
    </div>
  );
}

function Linked({ identity }: { identity: Identity }) {
  const queryClient = useQueryClient();
  const unlink = useMutation({
    mutationFn: () => del(`/auth/oidc/identities/${identity.id}`),
    onSuccess: () => {
      showDone(text.unlinked);
      return queryClient.invalidateQueries({ queryKey: identitiesKey });
    },
  });
  return (
    <>
      <Group justify="space-between">
        <div>
          <Text>{identity.email}</Text>
          <Text c="dimmed" size="sm">
            {text.since(new URL(identity.issuer).host, day(identity.linkedAt))}
          </Text>
        </div>
        <Button variant="default" loading={unlink.isPending} onClick={() => unlink.mutate()}>
          {text.unlink}
        </Button>
      </Group>
      <div role="alert">{unlink.isError && <Callout tone="danger">{failure(unlink.error).message}</Callout>}</div>
    </>
  );
}

function LinkDialog({ name, close }: { name: string; close: () => void }) {
  useReturnFocus();
  const [password, setPassword] = useState('');
  const link = useMutation({
    mutationFn: () => post<LinkIdentityResponse>('/auth/oidc/link', { password }),
    onSuccess: ({ url }) => window.location.assign(url),
    // Do not keep the password in the mutation cache.
    gcTime: 0,
  });
  return (
    <Modal opened onClose={close} title={text.link(name)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (password !== '') link.mutate();
        }}
      >
        <Stack>
          <Text size="sm">{text.confirm(name)}</Text>
          <PasswordInput
            data-autofocus
            label={messages.password.current}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <div role="alert">{link.isError && <Callout tone="danger">{failure(link.error).message}</Callout>}</div>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {shared.actions.cancel}
            </Button>
            <SubmitButton why={password === '' ? shared.why.password : null} loading={link.isPending || link.isSuccess}>
              {text.continue}
            </SubmitButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
