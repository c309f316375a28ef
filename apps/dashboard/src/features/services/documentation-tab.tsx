import type { DocumentSummary, Service } from '#contracts';
import { DOCUMENTS_PER_SERVICE_MAX } from '#contracts/limits';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmByName } from '../../components/confirm-by-name.js';
import { Chip } from '../../components/chip.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { RelativeTime } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { bytes, number } from '../../lib/format.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { AddDocument } from './add-document.js';
import { deleteDocument, documentsQuery } from './api.js';
import { documentsMessages } from './documents-messages.js';
import { IgnoredParts } from './ignored-parts.js';
import { Operations } from './operations.js';

/** The documents of a service, for approvers and the risk model. */
export default function DocumentationTab({ service }: { service: Service }) {
  const query = useQuery(documentsQuery(service.id));
  const queryClient = useQueryClient();
  const may = useMay('admin');
  const [leaving, setLeaving] = useState<DocumentSummary | null>(null);
  const remove = useMutation({
    mutationFn: ({ id }: DocumentSummary) => deleteDocument(service.id, id),
    onSuccess: (_, { title }) => {
      showDone(documentsMessages.removed(title));
      setLeaving(null);
      // The button that opened the dialog disappears with its row.
      setTimeout(() => document.querySelector<HTMLElement>('main h1')?.focus(), 300);
      void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.about(service.id) });
    },
    onError: showFailure,
  });
  const remover: Column<DocumentSummary> = {
    key: 'remove',
    label: documentsMessages.remove,
    phone: 'bare',
    align: 'end',
    cell: (document) => (
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        aria-label={documentsMessages.removeIt(document.title)}
        onClick={() => setLeaving(document)}
      >
        {documentsMessages.remove}
      </Button>
    ),
  };
  return (
    <>
      <Section
        title={documentsMessages.title}
        actions={
          query.data &&
          query.data.length > 0 && (
            <Text span c="dimmed" size="sm">
              {documentsMessages.budget(number(query.data.length), number(DOCUMENTS_PER_SERVICE_MAX))}
            </Text>
          )
        }
      >
        <Stack>
          <Text c="dimmed">{documentsMessages.lead}</Text>
          <Loaded query={query}>
            {(documents) =>
              documents.length > 0 ? (
                <Card padded={false}>
                  <DataTable
                    caption={documentsMessages.title}
                    columns={may ? [...COLUMNS, remover] : COLUMNS}
                    rows={documents}
                    rowKey={({ id }) => id}
                  />
                </Card>
              ) : (
                !may && <EmptyState icon="history" title={documentsMessages.none} />
              )
            }
          </Loaded>
          {may && <AddDocument serviceId={service.id} />}
        </Stack>
      </Section>
      <Operations service={service} />
      <ConfirmByName
        opened={leaving !== null}
        title={documentsMessages.removeIt(leaving?.title ?? '')}
        name={leaving?.title ?? ''}
        confirmLabel={documentsMessages.remove}
        busy={remove.isPending}
        onConfirm={() => leaving && remove.mutate(leaving)}
        onClose={() => setLeaving(null)}
      >
        {documentsMessages.removeText}
      </ConfirmByName>
    </>
  );
}

const COLUMNS: Column<DocumentSummary>[] = [
  {
    key: 'title',
    label: documentsMessages.documentTitle,
    phone: 'title',
    cell: (document) => (
      <div>
        <b>
          <UntrustedText text={document.title} inline />
        </b>
        <IgnoredParts document={document} />
      </div>
    ),
  },
  { key: 'type', label: documentsMessages.type, cell: ({ type }) => <Chip>{documentsMessages.types[type]}</Chip> },
  {
    key: 'operations',
    label: documentsMessages.operations,
    align: 'end',
    cell: ({ type, operationCount }) => (type === 'openapi' || type === 'mcp' ? number(operationCount) : '–'),
  },
  { key: 'size', label: documentsMessages.size, align: 'end', cell: ({ sizeBytes }) => bytes(sizeBytes) },
  { key: 'added', label: documentsMessages.addedAt, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];
