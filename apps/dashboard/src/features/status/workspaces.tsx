import type { InstallationWorkspace } from '#contracts';
import { Stack, Switch, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { DataTable, type Column } from '../../components/data-table.js';
import { LoadedPages } from '../../components/loaded-pages.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { SearchField } from '../../components/search-field.js';
import { number } from '../../lib/format.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { allowPrivateTargets, installationQuery } from './api.js';
import { installationMessages } from './installation-messages.js';

const text = installationMessages.workspaces;

/** All workspaces, and which of them may use private targets. `everybody`: the configuration allows all of them. */
export function Workspaces({ everybody }: { everybody: boolean }) {
  const [search, setSearch] = useState('');
  const query = useInfiniteQuery(installationQuery(useDeferredValue(search.trim())));
  return (
    <Section title={text.title}>
      <Stack>
        <Text c="dimmed">{everybody ? text.everybody : text.lead}</Text>
        <SearchField maw={420} label={text.search} value={search} onChange={setSearch} />
        <LoadedPages query={query} empty={<EmptyState icon="search" title={text.noneFound} />}>
          {(rows) => (
            <Card padded={false}>
              <DataTable
                caption={text.title}
                columns={everybody ? COLUMNS : [...COLUMNS, ALLOWED]}
                rows={rows}
                rowKey={({ id }) => id}
              />
            </Card>
          )}
        </LoadedPages>
      </Stack>
    </Section>
  );
}

const COLUMNS: Column<InstallationWorkspace>[] = [
  { key: 'name', label: text.name, phone: 'title', cell: ({ name }) => <b>{name}</b> },
  { key: 'members', label: text.members, cell: ({ members }) => number(members) },
];

const ALLOWED: Column<InstallationWorkspace> = {
  key: 'privateTargets',
  label: text.privateTargets,
  align: 'end',
  cell: (workspace) => <Allowed workspace={workspace} />,
};

function Allowed({ workspace: { id, name, privateTargets } }: { workspace: InstallationWorkspace }) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (allowed: boolean) => allowPrivateTargets({ id, privateTargets: allowed }),
    onSuccess: (saved) => showDone(saved.privateTargets ? text.allowed(name) : text.forbidden(name)),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.installation.all }),
  });
  return (
    <Switch
      display="inline-block"
      aria-label={text.allow(name)}
      checked={save.isPending ? save.variables : privateTargets}
      disabled={save.isPending}
      onChange={(event) => save.mutate(event.currentTarget.checked)}
    />
  );
}
