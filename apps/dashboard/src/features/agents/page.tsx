import type { Agent, AgentUsage } from '#contracts';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { DataTable, type Column } from '../../components/data-table.js';
import { FoundRows, ListPage, NameCell } from '../../components/list-page.js';
import { SearchField } from '../../components/search-field.js';
import { RelativeTime } from '../../components/time.js';
import { agentsQuery, agentUsageQuery } from '../../lib/queries.js';
import { ActiveSwitch } from './active-switch.js';
import { AgentState } from './agent-state.js';
import { messages } from './messages.js';

type Row = Agent & { usage: AgentUsage | undefined };
const NAMES_SHOWN = 3;

/** Lists all agents of the account. */
export function Component() {
  const [search, setSearch] = useSearchParams();
  const query = useQuery(agentsQuery);
  const text = search.get('q') ?? '';
  const find = (value: string) => setSearch(value ? { q: value } : {}, { replace: true });
  return (
    <ListPage text={messages} addTo="/agents/new" icon="agents" query={query}>
      {(agents) => (
        <Stack>
          <SearchField maw={420} label={messages.search} value={text} onChange={find} />
          <List agents={agents} text={text} clear={() => find('')} />
        </Stack>
      )}
    </ListPage>
  );
}

function List({ agents, text, clear }: { agents: Agent[]; text: string; clear: () => void }) {
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return agents
      .filter(({ name, keyPrefix }) => `${name} ${keyPrefix}`.toLowerCase().includes(wanted))
      .sort((a, b) => a.name.localeCompare(b.name));
  }, [agents, text]);
  return (
    <FoundRows text={messages} rows={found} clear={clear}>
      {(shown) => <Table agents={shown} />}
    </FoundRows>
  );
}

function Table({ agents }: { agents: readonly Agent[] }) {
  const { data } = useQuery(agentUsageQuery(agents.map(({ id }) => id)));
  const usage = new Map(data?.map((each) => [each.agentId, each]));
  const rows = agents.map((agent): Row => ({ ...agent, usage: usage.get(agent.id) }));
  return <DataTable caption={messages.title} columns={columns} rows={rows} rowKey={({ id }) => id} />;
}

const columns: Column<Row>[] = [
  {
    key: 'agent',
    label: messages.columns.agent,
    phone: 'title',
    cell: ({ id, name, keyPrefix }) => <NameCell to={`/agents/${id}`} name={name} identity={`${keyPrefix}…`} />,
  },
  {
    key: 'active',
    label: messages.columns.active,
    cell: (agent) => (
      <Group display="inline-flex" gap="sm">
        <ActiveSwitch agent={agent} />
        {agent.isActive && <AgentState agent={agent} />}
      </Group>
    ),
  },
  {
    key: 'lastUsed',
    label: messages.columns.lastUsed,
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? (
        <RelativeTime at={lastUsedAt} />
      ) : (
        <Text span c="dimmed" size="sm">
          {messages.never}
        </Text>
      ),
  },
  {
    key: 'services',
    label: messages.columns.services,
    cell: ({ services }) => (
      <span>
        {services
          .slice(0, NAMES_SHOWN)
          .map(({ name }) => name)
          .join(', ') || messages.nothing}{' '}
        {services.length > NAMES_SHOWN && (
          <Text span c="dimmed" size="sm">
            {messages.more(services.length - NAMES_SHOWN)}
          </Text>
        )}
      </span>
    ),
  },
  {
    key: 'week',
    label: messages.columns.week,
    align: 'end',
    cell: ({ usage }) => usage && messages.week(usage.requests7d, usage.held7d, usage.denied7d),
  },
];
