import type { Agent, AgentUsage } from '#contracts';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { DataTable, type Column } from '../../components/data-table.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Page } from '../../components/page.js';
import { Paged } from '../../components/paged.js';
import { SearchField } from '../../components/search-field.js';
import { RelativeTime } from '../../components/time.js';
import { agentsQuery, agentUsageQuery } from '../../lib/queries.js';
import { ActiveSwitch } from './active-switch.js';
import classes from './agents.module.css';
import { messages } from './messages.js';

type Row = Agent & { usage: AgentUsage | undefined };
const NAMES_SHOWN = 3;

/** Lists all agents of the account. */
export function Component() {
  const [search, setSearch] = useSearchParams();
  const query = useQuery(agentsQuery);
  const text = search.get('q') ?? '';
  const find = (value: string) => setSearch(value ? { q: value } : {}, { replace: true });
  const add = (
    <Button component={Link} to="/agents/new" leftSection={<Icon name="plus" size={16} />}>
      {messages.add}
    </Button>
  );
  return (
    <Page
      title={messages.title}
      lead={messages.lead}
      aside={
        query.data && query.data.length > 0 && <span className={classes.dim}>{messages.found(query.data.length)}</span>
      }
      actions={add}
    >
      <Loaded query={query}>
        {(agents) =>
          agents.length === 0 ? (
            <EmptyState icon="agents" title={messages.empty} text={messages.emptyText} action={add} />
          ) : (
            <div className={classes.stack}>
              <SearchField className={classes.search} label={messages.search} value={text} onChange={find} />
              <List agents={agents} text={text} clear={() => find('')} />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function List({ agents, text, clear }: { agents: Agent[]; text: string; clear: () => void }) {
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return agents
      .filter(({ name, keyPrefix }) => `${name} ${keyPrefix}`.toLowerCase().includes(wanted))
      .sort((a, b) => a.name.localeCompare(b.name));
  }, [agents, text]);
  if (found.length === 0) {
    return (
      <EmptyState
        icon="search"
        title={messages.noneFound}
        action={
          <Button variant="default" onClick={clear}>
            {messages.clear}
          </Button>
        }
      />
    );
  }
  return (
    <Paged rows={found}>
      {(shown) => (
        <Card padded={false}>
          <Table agents={shown} />
        </Card>
      )}
    </Paged>
  );
}

function Table({ agents }: { agents: readonly Agent[] }) {
  const { data } = useQuery(agentUsageQuery(agents.map(({ id }) => id)));
  const usage = new Map(data?.map((each) => [each.agentId, each]));
  const rows = agents.map((agent): Row => ({ ...agent, usage: usage.get(agent.id) }));
  return <DataTable caption={messages.title} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

const columns: Column<Row>[] = [
  {
    key: 'agent',
    label: messages.columns.agent,
    phone: 'title',
    cell: (agent) => (
      <div>
        <Link to={`/agents/${agent.id}`} className={classes.name}>
          {agent.name}
        </Link>
        <div className={classes.prefix}>{agent.keyPrefix}…</div>
      </div>
    ),
  },
  {
    key: 'active',
    label: messages.columns.active,
    cell: (agent) => <ActiveSwitch agent={agent} />,
  },
  {
    key: 'lastUsed',
    label: messages.columns.lastUsed,
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <RelativeTime at={lastUsedAt} /> : <span className={classes.dim}>{messages.never}</span>,
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
          <span className={classes.dim}>{messages.more(services.length - NAMES_SHOWN)}</span>
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
