import type { AuditFilter, AuditRecord } from '#contracts';
import { Box, Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { ErrorCard } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { VirtualList, type VirtualListHandle } from '../../components/virtual-list.js';
import { recordsQuery } from './api.js';
import { DecisionRow } from './decision-row.js';
import type { HistoryView } from './filters.js';
import { useLeftPlace } from './use-left-place.js';
import { NoRecords } from './no-records.js';
import { ChangeRow, RequestRow } from './rows.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import { Searched } from './searched.js';
import { useNewer } from './use-newer.js';
import { useRecordKeys } from './use-record-keys.js';
import { useSearch } from './use-search.js';

interface Props {
  view: HistoryView;
  filter: AuditFilter;
  /** The moment that the page shows. */
  atMs: number;
  open: (id: string) => void;
  set: (change: Record<string, string | number | null>) => void;
  refresh: () => void;
}

/** The columns of the list. Each row is a grid of its own, because the list renders only visible rows. */
export function HistoryList({ view, filter, atMs, open, set, refresh }: Props) {
  const query = useInfiniteQuery(recordsQuery(filter));
  const records = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const newer = useNewer(filter, records[0]?.id, query.isSuccess);
  const search = useSearch(query, records.length);
  const list = useRef<VirtualListHandle>(null);
  const initialPlace = useLeftPlace(list, atMs);
  useRecordKeys({ view, records, list, open, set });

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
        <NoRecords view={view} set={set} />
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
            initialPlace={initialPlace}
            itemKey={(index) => records[index]!.id}
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
