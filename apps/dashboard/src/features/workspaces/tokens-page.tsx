import type { AccessToken } from '#contracts';
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DataTable, type Column } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { Card, Section } from '../../components/page.js';
import { SettingsFrame } from '../../components/settings-frame.js';
import { Countdown, RelativeTime } from '../../components/time.js';
import { day } from '../../lib/format.js';
import { workspacesQuery } from '../../lib/queries.js';
import { roleMessages } from '../../lib/role-messages.js';
import { tokensQuery } from './api.js';
import { CreateToken } from './create-token.js';
import { messages } from './messages.js';
import { RevokeToken } from './revoke-token.js';

const text = messages.tokens;

/** The person's tokens for programs, in all workspaces. */
export function Component() {
  const query = useQuery(tokensQuery);
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const [revoked, setRevoked] = useState<AccessToken | null>(null);
  const columns: Column<AccessToken>[] = [
    { key: 'name', label: text.name, phone: 'title', cell: ({ name }) => <b translate="no">{name}</b> },
    {
      key: 'workspace',
      label: text.workspace,
      cell: ({ workspaceId, role }) => (
        <div>
          {workspaces.find(({ id }) => id === workspaceId)?.name ?? text.noMember}
          <Text c="dimmed" size="sm">
            {roleMessages.roles[role]}
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
    { key: 'ends', label: text.ends, whole: true, cell: ({ expiresAt }) => <Countdown until={expiresAt} /> },
    {
      key: 'revoke',
      label: text.revoke,
      phone: 'bare',
      align: 'end',
      cell: (token) => (
        <Button size="xs" variant="default" aria-label={text.revokeIt(token.name)} onClick={() => setRevoked(token)}>
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
                <DataTable caption={text.yours} columns={columns} rows={tokens} rowKey={({ id }) => id} />
              </Card>
            )
          }
        </Loaded>
      </Section>
      {revoked && <RevokeToken token={revoked} close={() => setRevoked(null)} />}
    </SettingsFrame>
  );
}
