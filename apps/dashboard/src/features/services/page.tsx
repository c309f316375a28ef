import type { Service, ServiceUsage } from '#contracts';
import { Button, Group, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { Chip } from '../../components/chip.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { FoundRows, ListPage, NameCell } from '../../components/list-page.js';
import { Callout } from '../../components/notices.js';
import { SearchField } from '../../components/search-field.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { Sparkline } from '../../components/sparkline.js';
import { isDemo, removeDemoData } from '../../lib/demo-data.js';
import { now } from '../../lib/clock.js';
import { number } from '../../lib/format.js';
import { servicesQuery, serviceUsageQuery } from '../../lib/queries.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { useMay, useRole } from '../../lib/workspace.js';
import { ConnectButton } from './connect-button.js';
import { needsPerson } from './connection-state.js';
import { CredentialState } from './credential-state.js';
import { hostOf, orderServices, type ServiceOrder } from './listing.js';
import { messages } from './messages.js';
import { risenRejections } from './rejections.js';
import { RevertButton } from './revert-button.js';
import { rotationDue } from './rotation-due.js';
import { ServiceNames } from './service-names.js';

type Row = Service & { usage: ServiceUsage | undefined };

/** An approver sees what the services are called. */
export function Component() {
  const role = useRole();
  if (role === null) return <PageSkeleton />;
  return role === 'approver' ? <ServiceNames /> : <Services />;
}

/** Lists all services of the workspace. The URL has the search and the sort order. */
function Services() {
  const [search, setSearch] = useSearchParams();
  const query = useQuery(servicesQuery);
  const text = search.get('q') ?? '';
  const due = search.has('due');
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
    <ListPage text={messages} addTo="/services/new" icon="services" query={query}>
      {(services) => (
        <Stack>
          <Group gap="sm">
            <SearchField
              flex="1 1 200px"
              maw={420}
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
            <Switch
              label={messages.rotation.filter.label}
              checked={due}
              onChange={(event) => set('due', event.currentTarget.checked ? '1' : '')}
            />
          </Group>
          <DemoNotice services={services} />
          <List
            services={due ? services.filter((service) => rotationDue(service, now()) !== null) : services}
            text={text}
            order={order}
            due={due}
            clear={() => setSearch({}, { replace: true })}
          />
        </Stack>
      )}
    </ListPage>
  );
}

interface ListProps {
  services: Service[];
  text: string;
  order: ServiceOrder;
  /** Shows only services whose credentials should be replaced. */
  due: boolean;
  clear: () => void;
}

function List({ services, text, order, due, clear }: ListProps) {
  const { data: usage } = useQuery(serviceUsageQuery);
  const rows = useMemo(() => {
    const byId = new Map(usage?.map((each) => [each.serviceId, each]));
    return orderServices(
      services.map((service): Row => ({ ...service, usage: byId.get(service.id) })),
      text,
      order,
    );
  }, [services, usage, text, order]);
  return (
    <FoundRows
      text={due && text === '' ? { ...messages, noneFound: messages.rotation.filter.noneFound } : messages}
      rows={rows}
      clear={clear}
    >
      {(shown) => <DataTable caption={messages.title} columns={columns} rows={shown} keyOf={({ id }) => id} />}
    </FoundRows>
  );
}

const columns: Column<Row>[] = [
  {
    key: 'service',
    label: messages.columns.service,
    phone: 'title',
    cell: ({ id, name, baseUrl }) => <NameCell to={`/services/${id}`} name={name} identity={hostOf(baseUrl)} />,
  },
  {
    key: 'auth',
    label: messages.columns.auth,
    cell: ({ authType }) => <Chip>{messages.auth[authType]}</Chip>,
  },
  {
    key: 'credentials',
    label: messages.columns.credentials,
    cell: (service) => (
      <Group display="inline-flex" gap="sm" justify="flex-end">
        <CredentialState service={service} usage={service.usage} />
        {needsPerson(service) && <ConnectButton service={service} size="xs" variant="default" />}
        {service.previousCredentials && risenRejections(service.usage) && (
          <RevertButton service={service} size="xs" variant="default" />
        )}
      </Group>
    ),
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
        <Group display="inline-flex" gap={10} wrap="nowrap">
          <Sparkline values={usage.hourly} label={messages.hourly(usage.hourly.join(', '))} />
          <Text span inherit miw={32}>
            {number(usage.requests24h)}
          </Text>
        </Group>
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
  const mayRemove = useMay('admin');
  const remove = useMutation({
    mutationFn: removeDemoData,
    onSuccess: () => showDone(messages.demo.removed),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries(),
  });
  if (!demo || !mayRemove) return null;
  return (
    <Callout tone="info">
      {messages.demo.text(demo.name)}{' '}
      <Button variant="default" size="xs" loading={remove.isPending} onClick={() => remove.mutate(demo)}>
        {messages.demo.remove}
      </Button>
    </Callout>
  );
}
