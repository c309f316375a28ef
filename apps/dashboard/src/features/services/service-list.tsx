import type { Service, ServiceUsage } from '#contracts';
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Chip } from '../../components/chip.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { FoundRows, NameCell } from '../../components/list-page.js';
import { Sparkline } from '../../components/sparkline.js';
import { number } from '../../lib/format.js';
import { serviceUsageQuery } from '../../lib/queries.js';
import { ConnectButton } from './connect-button.js';
import { needsPerson } from '../../lib/connection-state.js';
import { CredentialState } from './credential-state.js';
import { orderServices, withoutScheme, type ServiceOrder } from './listing.js';
import { messages } from './messages.js';
import { risenRejections } from '../../lib/rejections.js';
import { RevertButton } from './revert-button.js';

type Row = Service & { usage: ServiceUsage | undefined };

interface Props {
  services: Service[];
  text: string;
  order: ServiceOrder;
  /** Shows only services whose credentials should be replaced. */
  due: boolean;
  clear: () => void;
}

/** The services that the search finds, as a table. */
export function ServiceList({ services, text, order, due, clear }: Props) {
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
      {(shown) => <DataTable caption={messages.title} columns={columns} rows={shown} rowKey={({ id }) => id} />}
    </FoundRows>
  );
}

const columns: Column<Row>[] = [
  {
    key: 'service',
    label: messages.columns.service,
    phone: 'title',
    cell: ({ id, name, baseUrl }) => <NameCell to={`/services/${id}`} name={name} identity={withoutScheme(baseUrl)} />,
  },
  {
    key: 'auth',
    label: messages.columns.auth,
    cell: ({ authType }) => <Chip>{messages.auth[authType]}</Chip>,
  },
  {
    key: 'credentials',
    label: messages.columns.credentials,
    whole: true,
    cell: (service) => (
      <Group display="inline-flex" gap="sm">
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
        <Group display="inline-flex" gap={10} wrap="nowrap" style={{ verticalAlign: 'middle' }}>
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
