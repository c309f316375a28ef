import type { Service, ServiceUsage } from '#contracts';
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Chip } from '../../components/chip.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loaded.js';
import { Callout, EmptyState } from '../../components/notices.js';
import { Card, Page } from '../../components/page.js';
import { Paged } from '../../components/paged.js';
import { SearchField } from '../../components/search-field.js';
import { Sparkline } from '../../components/sparkline.js';
import { isDemo, removeDemoData } from '../../lib/demo-data.js';
import { number } from '../../lib/format.js';
import { servicesQuery, serviceUsageQuery } from '../../lib/queries.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { hostOf, orderServices, type ServiceOrder } from './listing.js';
import { CredentialState } from './credential-state.js';
import { messages } from './messages.js';
import classes from './services.module.css';

type Row = Service & { usage: ServiceUsage | undefined };

/** Lists all services of the account. The URL has the search and the sort order. */
export function Component() {
  const [search, setSearch] = useSearchParams();
  const query = useQuery(servicesQuery);
  const text = search.get('q') ?? '';
  const order = (search.get('sort') ?? 'name') as ServiceOrder;
  const set = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        next.delete('page');
        return next;
      },
      { replace: true },
    );
  return (
    <Page
      title={messages.title}
      lead={messages.lead}
      aside={
        query.data && query.data.length > 0 && <span className={classes.dim}>{messages.found(query.data.length)}</span>
      }
      actions={
        <Button component={Link} to="/services/new" leftSection={<Icon name="plus" size={16} />}>
          {messages.add}
        </Button>
      }
    >
      <Loaded query={query}>
        {(services) =>
          services.length === 0 ? (
            <EmptyState
              icon="services"
              title={messages.empty}
              text={messages.emptyText}
              action={
                <Button component={Link} to="/services/new">
                  {messages.add}
                </Button>
              }
            />
          ) : (
            <div className={classes.stack}>
              <div className={classes.tools}>
                <SearchField
                  className={classes.grow}
                  label={messages.search}
                  value={text}
                  onChange={(value) => set('q', value)}
                />
                <NativeSelect
                  aria-label={messages.sort}
                  value={order}
                  onChange={(event) => set('sort', event.currentTarget.value)}
                  data={(['name', 'requests', 'rotated'] as const).map((each) => ({
                    value: each,
                    label: messages.sorts[each],
                  }))}
                />
              </div>
              <DemoNotice services={services} />
              <List services={services} text={text} order={order} clear={() => set('q', '')} />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function List({
  services,
  text,
  order,
  clear,
}: {
  services: Service[];
  text: string;
  order: ServiceOrder;
  clear: () => void;
}) {
  const { data: usage } = useQuery(serviceUsageQuery);
  const rows = useMemo(() => {
    const byId = new Map(usage?.map((each) => [each.serviceId, each]));
    return orderServices(
      services.map((service): Row => ({ ...service, usage: byId.get(service.id) })),
      text,
      order,
    );
  }, [services, usage, text, order]);
  if (rows.length === 0) {
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
    <Paged rows={rows}>
      {(shown) => (
        <Card padded={false}>
          <DataTable caption={messages.title} columns={columns} rows={shown} keyOf={({ id }) => id} />
        </Card>
      )}
    </Paged>
  );
}

const columns: Column<Row>[] = [
  {
    key: 'service',
    label: messages.columns.service,
    phone: 'title',
    cell: (service) => (
      <div>
        <Link to={`/services/${service.id}`} className={classes.name}>
          {service.name}
        </Link>
        <div className={classes.host}>{hostOf(service.baseUrl)}</div>
      </div>
    ),
  },
  {
    key: 'auth',
    label: messages.columns.auth,
    cell: ({ authType }) => <Chip>{messages.auth[authType]}</Chip>,
  },
  {
    key: 'credentials',
    label: messages.columns.credentials,
    cell: (service) => <CredentialState service={service} unauthorized={service.usage?.unauthorized24h ?? 0} />,
  },
  {
    key: 'agents',
    label: messages.columns.agents,
    align: 'end',
    cell: ({ usage }) => (usage ? number(usage.agents) : ''),
  },
  {
    key: 'requests',
    label: messages.columns.requests,
    align: 'end',
    cell: ({ usage }) =>
      usage && (
        <span className={classes.requests}>
          <Sparkline values={usage.hourly} label={messages.hourly(usage.hourly.join(', '))} />
          <span className={classes.figure}>{number(usage.requests24h)}</span>
        </span>
      ),
  },
  {
    key: 'knowledge',
    label: messages.columns.knowledge,
    align: 'end',
    cell: ({ usage }) => usage && `${number(usage.documents)} · ${number(usage.rules)}`,
  },
];

/** Says which service is sample data, and removes it with everything that belongs to it. */
function DemoNotice({ services }: { services: readonly Service[] }) {
  const queryClient = useQueryClient();
  const demo = services.find(isDemo);
  const remove = useMutation({
    mutationFn: removeDemoData,
    onSuccess: () => showDone(messages.demo.removed),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries(),
  });
  if (!demo) return null;
  return (
    <Callout tone="info">
      {messages.demo.text(demo.name)}{' '}
      <Button variant="default" size="xs" loading={remove.isPending} onClick={() => remove.mutate(demo)}>
        {messages.demo.remove}
      </Button>
    </Callout>
  );
}
