import type { Identity, LinkIdentityResponse } from '#contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { day } from '../../lib/format.js';
import { del, failure, post } from '../../lib/http.js';
import { identitiesQuery } from '../../lib/identities.js';
import { authMethodsQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import { messages } from './messages.js';

const text = messages.linked;

/** The sign-ins at the OpenID provider that lead to this account. */
export function LinkedSignIns() {
  const { data: methods } = useQuery(authMethodsQuery);
  const { data: identities } = useQuery({ ...identitiesQuery, enabled: Boolean(methods?.oidc) });
  // If the session is not confirmed, the person is asked to confirm, and the call is sent again.
  const link = useMutation({
    mutationFn: () => post<LinkIdentityResponse>('/auth/oidc/link'),
    onSuccess: ({ url }) => window.location.assign(url),
  });
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
              <Button variant="default" loading={link.isPending || link.isSuccess} onClick={() => link.mutate()}>
                {text.link(name)}
              </Button>
            </Group>
          )}
          <div role="alert">{link.isError && <Callout tone="danger">{failure(link.error).message}</Callout>}</div>
        </Stack>
      </Card>
    </Section>
  );
}

/** The result of linking, after the browser comes back from the provider. */
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
      return queryClient.invalidateQueries({ queryKey: identitiesQuery.queryKey });
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
        <Button size="xs" variant="default" loading={unlink.isPending} onClick={() => unlink.mutate()}>
          {text.unlink}
        </Button>
      </Group>
      <div role="alert">{unlink.isError && <Callout tone="danger">{failure(unlink.error).message}</Callout>}</div>
    </>
  );
}
