import type { MessageResponse, RevokedSessionsResponse, Session } from '#contracts';
import { Button, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Chip } from '../../components/chip.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { Card, Section } from '../../components/page.js';
import { Moment, RelativeTime } from '../../components/time.js';
import { del, get } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { deviceName } from '#contracts/device-name';
import { messages } from './messages.js';

const text = messages.sessions;

const sessionsQuery = queryOptions({
  queryKey: queryKeys.sessions,
  queryFn: ({ signal }) => get<Session[]>('/auth/sessions', undefined, signal),
});

/** All active sessions, the current one first. */
export function Sessions() {
  const queryClient = useQueryClient();
  const query = useQuery(sessionsQuery);
  const settled = () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  const end = useMutation({
    mutationFn: (id: string) => del<MessageResponse>(`/auth/sessions/${id}`),
    onSuccess: () => showDone(text.ended),
    onError: showFailure,
    onSettled: settled,
  });
  const endOthers = useMutation({
    mutationFn: () => del<RevokedSessionsResponse>('/auth/sessions'),
    onSuccess: ({ revoked }) => showDone(text.endedOthers(revoked)),
    onError: showFailure,
    onSettled: settled,
  });
  const columns: Column<Session>[] = [
    {
      key: 'device',
      label: text.device,
      phone: 'title',
      cell: (session) => (
        <span title={session.userAgent ?? undefined}>
          <b>{deviceName(session.userAgent) ?? text.unknown}</b>{' '}
          {session.current && <Chip tone="good">{text.current}</Chip>}
        </span>
      ),
    },
    {
      key: 'address',
      label: text.address,
      cell: ({ address }) => (
        <span className="mono" translate="no">
          {address}
        </span>
      ),
    },
    { key: 'lastUsed', label: text.lastUsed, cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} /> },
    { key: 'since', label: text.since, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      key: 'end',
      label: text.end,
      phone: 'bare',
      align: 'end',
      cell: (session) =>
        !session.current && (
          <Button
            size="xs"
            variant="default"
            aria-label={text.endIt(deviceName(session.userAgent) ?? text.unknown)}
            loading={end.isPending && end.variables === session.id}
            onClick={() => end.mutate(session.id)}
          >
            {text.end}
          </Button>
        ),
    },
  ];
  return (
    <Section
      title={text.title}
      actions={
        query.data &&
        query.data.length > 1 && (
          <Button size="xs" variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {text.endOthers}
          </Button>
        )
      }
    >
      <Text c="dimmed" mb="md">
        {text.lead}
      </Text>
      <Loaded query={query}>
        {(sessions) => (
          <Card padded={false}>
            <DataTable
              caption={text.title}
              columns={columns}
              rows={[...sessions].sort((a, b) => Number(b.current) - Number(a.current))}
              rowKey={({ id }) => id}
            />
          </Card>
        )}
      </Loaded>
    </Section>
  );
}
