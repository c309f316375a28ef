import type { DocumentedOperation, Service } from '#contracts';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { Loaded } from '../../components/loaded.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { Card, Section } from '../../components/page.js';
import { SearchField } from '../../components/search-field.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { VirtualList } from '../../components/virtual-list.js';
import { methodRisk } from '../../lib/risk.js';
import { operationsQuery } from './api.js';
import { documentsMessages } from './documents-messages.js';
import { operationWords } from './operation-search.js';
import { operationTree, type TreeRow } from './operation-tree.js';
import classes from './operations.module.css';

/** The documented operations by path. A virtual list keeps ten thousand of them fast. */
export function Operations({ service }: { service: Service }) {
  const query = useQuery(operationsQuery(service.id));
  const [search, setSearch] = useState('');
  return (
    <Section title={documentsMessages.operationsTitle}>
      <Loaded query={query}>
        {(operations) =>
          operations.length === 0 ? (
            <Text c="dimmed">{documentsMessages.noOperations}</Text>
          ) : (
            <Stack>
              <Text c="dimmed">{documentsMessages.operationsLead}</Text>
              <SearchField maw={420} label={documentsMessages.findOperation} value={search} onChange={setSearch} />
              <Tree operations={operations} search={search} />
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

function Tree({ operations, search }: { operations: DocumentedOperation[]; search: string }) {
  const wanted = useDeferredValue(search);
  const rows = useMemo(() => operationTree(operations, wanted), [operations, wanted]);
  if (rows.length === 0) return <Text c="dimmed">{documentsMessages.noneFound}</Text>;
  return (
    <Card padded={false}>
      <VirtualList
        role="list"
        focusable
        label={documentsMessages.operationsTitle}
        className={classes.operations}
        count={rows.length}
        rowHeight={42}
        itemKey={(index) => index}
        row={(index) => <OperationRow row={rows[index]!} />}
      />
    </Card>
  );
}

function OperationRow({ row }: { row: TreeRow }) {
  const path = (
    <span className="mono" translate="no">
      <UntrustedText text={row.path} inline />
    </span>
  );
  if (row.operation === null) {
    return (
      <Group className={classes.row} fw={600} bg="var(--agw-sunken)" justify="space-between">
        {row.path === '' ? documentsMessages.types.mcp : path}
        <Text span c="dimmed" size="sm">
          {documentsMessages.count(row.count)}
        </Text>
      </Group>
    );
  }
  const { method } = row.operation;
  const words = operationWords(row.operation);
  // The path of a tool is its name.
  const about = words === row.path ? null : words;
  return (
    <Group className={classes.row} wrap="nowrap">
      <Text span c="var(--agw-accent)" fw="bold" w={64} className="mono" translate="no" style={{ flex: 'none' }}>
        {method}
      </Text>
      <Group gap="0 12px" flex={1} miw={0}>
        {path}
        {about && (
          <Text span c="dimmed" size="sm">
            <UntrustedText text={about} inline prose />
          </Text>
        )}
      </Group>
      <RiskBadge score={methodRisk(method)} size="short" />
    </Group>
  );
}
