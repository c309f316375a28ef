import type { AuditFilter, AuditRecord } from '#contracts';
import { Box, Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { Link } from 'react-router';
import { EmptyState, ErrorCard } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { VirtualList, type VirtualListHandle } from '../../components/virtual-list.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { agentsQuery } from '../../lib/queries.js';
import { useReads } from '../../lib/workspace.js';
import { recordsQuery } from './api.js';
import { DecisionRow } from './decision-row.js';
import { filterCount, FILTERS, NO_FILTERS, type HistoryView } from './filters.js';
import { ChangeRow, RequestRow } from './rows.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import { Searched } from './searched.js';
import { useNewer } from './use-newer.js';
import { useSearch } from './use-search.js';

interface Props {
  view: HistoryView;
  filter: AuditFilter;
  open: (id: string) => void;
  set: (change: Record<string, string | number | null>) => void;
  refresh: () => void;
}

/** The records, newest first. Rows do not move: newer records are counted, and shown when the user asks. */
export function HistoryList({ view, filter, open, set, refresh }: Props) {
  const query = useInfiniteQuery(recordsQuery(filter));
  const records = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const newer = useNewer(filter, records[0]?.id, query.isSuccess);
  const search = useSearch(query, records.length);
  const list = useRef<VirtualListHandle>(null);
  const focused = () => records.findIndex(({ id }) => id === document.activeElement?.getAttribute('data-record'));

  function go(index: number) {
    const target = records[Math.max(0, Math.min(index, records.length - 1))];
    if (!target) return;
    list.current?.scrollTo(records.indexOf(target));
    // After the next paint, when the virtual row exists.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-record="${target.id}"]`)?.focus()),
    );
  }

  useShortcuts(messages.keys.scope, [
    { keys: 'j', label: messages.keys.next, run: () => go(focused() + 1) },
    { keys: 'k', label: messages.keys.previous, run: () => go(focused() - 1) },
    {
      keys: 'o',
      label: messages.keys.open,
      run: () => {
        const record = records[focused()];
        if (record) open(record.id);
      },
    },
    {
      keys: 'f',
      label: messages.keys.filter,
      run: () => {
        const agentId = records[focused()]?.agent?.id;
        if (agentId && FILTERS[view.tab].includes('agent')) set({ agent: agentId });
      },
    },
  ]);

  if (query.isError && records.length === 0)
    return <ErrorCard error={query.error} retry={() => void query.refetch()} />;
  return (
    <Box pos="relative">
      {newer.count > 0 && (
        <Button
          className={classes.newer}
          radius="xl"
          aria-label={messages.showNewer(newer.count)}
          onClick={() => {
            newer.clear();
            refresh();
          }}
        >
          {messages.newer(newer.count, newer.more)} ↑
        </Button>
      )}
      {query.isPending ? (
        <Card padded={false}>
          <RowsSkeleton rows={8} height={44} />
        </Card>
      ) : records.length === 0 && search.backTo !== null ? (
        <Card>
          <Searched search={search} />
        </Card>
      ) : records.length === 0 ? (
        <Nothing view={view} set={set} />
      ) : (
        <Card padded={false}>
          <Head tab={view.tab} />
          <VirtualList
            className={classes.list}
            role="list"
            label={messages.list}
            handle={list}
            count={records.length}
            rowHeight={45}
            keyOf={(index) => records[index]!.id}
            onEnd={query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined}
            row={(index) => <Row record={records[index]!} tab={view.tab} open={open} />}
          />
          <Searched search={search} />
        </Card>
      )}
    </Box>
  );
}

function Row({ record, tab, open }: { record: AuditRecord; tab: HistoryView['tab']; open: (id: string) => void }) {
  if (tab === 'decisions') return <DecisionRow record={record} open={open} />;
  return tab === 'requests' ? <RequestRow record={record} open={open} /> : <ChangeRow record={record} open={open} />;
}

/** The column headings. They are hidden from screen readers, because each row states everything in words. */
function Head({ tab }: { tab: HistoryView['tab'] }) {
  const { columns } = messages;
  const labels =
    tab === 'requests'
      ? [columns.time, columns.outcome, columns.agent, columns.request, columns.risk, columns.status, columns.ms]
      : tab === 'decisions'
        ? [columns.time, columns.decision, columns.who, columns.request, columns.parties]
        : [columns.time, columns.who, columns.what, columns.which];
  return (
    <Text
      c="dimmed"
      size="xs"
      fw={600}
      py={9}
      visibleFrom="md"
      className={classes.line}
      data-tab={tab === 'access' ? 'changes' : tab}
      aria-hidden="true"
    >
      {labels.map((label) => (
        <span key={label}>{label}</span>
      ))}
    </Text>
  );
}

function Nothing({ view, set }: { view: HistoryView; set: Props['set'] }) {
  const { empty } = messages;
  if (filterCount(view) > 0 || view.q !== '') {
    return (
      <EmptyState
        icon="search"
        title={empty.filtered}
        action={
          <Button variant="default" onClick={() => set(NO_FILTERS)}>
            {messages.filters.clear}
          </Button>
        }
      />
    );
  }
  if (view.tab !== 'requests' && view.tab !== 'charts') return <EmptyState icon="history" title={empty[view.tab]} />;
  return <NoRequests view={view} set={set} />;
}

/** Offers a longer range, or a link to the agents if there are no requests at all. */
function NoRequests({ view, set }: { view: HistoryView; set: Props['set'] }) {
  const { empty } = messages;
  const { data: agents } = useQuery(agentsQuery);
  const reads = useReads();
  const used = agents?.some(({ lastUsedAt }) => lastUsedAt !== null) ?? false;
  return (
    <EmptyState
      icon="history"
      title={empty.requests}
      text={empty.requestsText}
      action={
        used && view.range !== '30d' ? (
          <Button variant="default" onClick={() => set({ range: '30d', from: null, to: null })}>
            {empty.longer}
          </Button>
        ) : (
          reads && (
            <Button component={Link} to={agents?.length === 1 ? `/agents/${agents[0]!.id}/snippets` : '/agents'}>
              {empty.toAgents}
            </Button>
          )
        )
      }
    />
  );
}
