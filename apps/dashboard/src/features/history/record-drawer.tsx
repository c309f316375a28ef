import type { AuditRecord } from '#contracts';
import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { recordQuery } from '../../lib/audit-records.js';
import { ChangeRecord } from './change-record.js';
import { messages } from './messages.js';
import { RequestRecord } from './request-record.js';

const text = messages.drawer;

/** One complete record. Its URL has `?id=`. */
export function RecordDrawer({ id, close }: { id: string | null; close: () => void }) {
  const query = useQuery({ ...recordQuery(id ?? ''), enabled: id !== null });
  const record = query.data;
  const title = record ? formatTitle(record) : text.request;
  return (
    <Drawer opened={id !== null} onClose={close} position="right" size="lg" title={<span>{title}</span>}>
      <Loaded query={query}>
        {(found) =>
          found === null ? (
            <EmptyState icon="search" title={text.notFound} />
          ) : found.kind === 'request' || found.kind === 'execution' ? (
            <RequestRecord record={found} />
          ) : (
            <ChangeRecord record={found} />
          )
        }
      </Loaded>
    </Drawer>
  );
}

function formatTitle({ kind, actionId }: AuditRecord): string {
  if (kind === 'access') return text.access;
  if (kind !== 'change') return text.request;
  return actionId === null ? text.change : text.decision;
}
