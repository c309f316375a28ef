import type { AccessToken, MessageResponse } from '#contracts';
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { DataTable, type Column } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { Card, Section } from '../../components/page.js';
import { SettingsFrame } from '../../components/settings-frame.js';
import { Countdown, RelativeTime } from '../../components/time.js';
import { day } from '../../lib/format.js';
import { del } from '../../lib/http.js';
import { workspacesQuery } from '../../lib/queries.js';
import { messages as shared } from '../../lib/role-messages.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { tokensQuery } from './api.js';
import { CreateToken } from './create-token.js';
import { messages } from './messages.js';

const text = messages.tokens;

/** The person's tokens for programs, in all workspaces. */
export function Component() {
  const queryClient = useQueryClient();
  const query = useQuery(tokensQuery);
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const revoke = useMutation({
    mutationFn: ({ id }: AccessToken) => del<MessageResponse>(`/auth/tokens/${id}`),
    onSuccess: (_, { name }) => showDone(text.revoked(name)),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  const columns: Column<AccessToken>[] = [
    { key: 'name', label: text.name, phone: 'title', cell: ({ name }) => <b>{name}</b> },
    {
      key: 'workspace',
      label: text.workspace,
      cell: ({ workspaceId, role }) => (
        <div>
          {workspaces.find(({ id }) => id === workspaceId)?.name ?? text.noMember}
          <Text c="dimmed" size="sm">
            {shared.roles[role]}
          </Text>
        </div>
      ),
    },
    {
      key: 'created',
      label: text.created,
      cell: ({ createdAt }) => <time dateTime={createdAt}>{day(createdAt)}</time>,
    },
    {
      key: 'used',
      label: text.used,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.neverUsed : <RelativeTime at={lastUsedAt} />),
    },
    { key: 'ends', label: text.ends, cell: ({ expiresAt }) => <Countdown until={expiresAt} /> },
    {
      key: 'revoke',
      label: text.revoke,
      phone: 'bare',
      align: 'end',
      cell: (token) => (
        <Button
          size="xs"
          variant="default"
          aria-label={text.revokeIt(token.name)}
          loading={revoke.isPending && revoke.variables.id === token.id}
          onClick={() => revoke.mutate(token)}
        >
          {text.revoke}
        </Button>
      ),
    },
  ];
  return (
    <SettingsFrame>
      <Section title={text.title}>
        <Text c="dimmed" mb="md">
          {text.lead}
        </Text>
        <Card>
          <CreateToken workspaces={workspaces} />
        </Card>
      </Section>
      <Section title={text.yours}>
        <Loaded query={query}>
          {(tokens) =>
            tokens.length === 0 ? (
              <Text c="dimmed">{text.none}</Text>
            ) : (
              <Card padded={false}>
                <DataTable caption={text.yours} columns={columns} rows={tokens} keyOf={({ id }) => id} />
              </Card>
            )
          }
        </Loaded>
      </Section>
    </SettingsFrame>
  );
}
