import type { ConfigEntry, GatewayStatus } from '#contracts';
import { Box, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../components/copy-button.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { Card, Page, Section } from '../../components/page.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { bytes, number } from '../../lib/format.js';
import { every, statusQuery } from '../../lib/queries.js';
import { Administrators } from './administrators.js';
import { Checks } from './checks-list.js';
import { Lead } from './lead.js';
import { messages } from './messages.js';
import { ModelSection } from './model-section.js';
import { Workspaces } from './workspaces.js';

const REFRESH_MS = 15_000;

/** The state of the gateway, and diagnostics to copy for a support request. */
export function Component() {
  const query = useQuery({ ...statusQuery, refetchInterval: every(REFRESH_MS) });
  return (
    <Page
      title={messages.title}
      actions={query.data && <CopyButton text={JSON.stringify(query.data, null, 2)} label={messages.copy} size="sm" />}
      lead={query.data && messages.copyHint}
    >
      <Loaded query={query}>
        {(status) => (status ? <StatusView status={status} /> : <Lead>{messages.onlyAdministrators}</Lead>)}
      </Loaded>
    </Page>
  );
}

function StatusView({ status }: { status: GatewayStatus }) {
  const { database, model } = status;
  return (
    <>
      <Checks status={status} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Section title={messages.gateway.title}>
          <Card>
            <Terms
              items={[
                [messages.gateway.version, status.version],
                [
                  messages.gateway.up,
                  messages.gateway.upFor((Date.parse(status.now) - Date.parse(status.startedAt)) / 1000),
                ],
                [messages.gateway.started, <Moment at={status.startedAt} />],
                [messages.gateway.node, status.nodeVersion],
                [messages.gateway.memory, bytes(status.rssBytes)],
                [messages.gateway.clients, number(status.liveClients)],
                [
                  messages.gateway.migration,
                  <span className="mono" translate="no">
                    {database.migration}
                  </span>,
                ],
              ]}
            />
          </Card>
        </Section>
        <ModelSection model={model} />
      </SimpleGrid>
      <Section title={messages.egress.title}>
        <Lead>{messages.egress.lead}</Lead>
        <Card>
          {status.privateTargetAllowlist === null ? (
            messages.egress.hidden
          ) : status.privateTargetAllowlist.length === 0 ? (
            messages.egress.none
          ) : (
            <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
              {status.privateTargetAllowlist.map((entry) => (
                <li key={entry} className="mono" translate="no">
                  {entry}
                </li>
              ))}
            </Box>
          )}
        </Card>
      </Section>
      <Workspaces
        everybody={status.config.some(({ name, value }) => name === 'PRIVATE_TARGET_ACCESS' && value === 'all')}
      />
      <Administrators />
      <Section title={messages.config.title}>
        <Lead>{messages.config.lead}</Lead>
        <Card padded={false}>
          <DataTable
            caption={messages.config.title}
            columns={columns}
            rows={status.config}
            rowKey={({ name }) => name}
          />
        </Card>
      </Section>
    </>
  );
}

const columns: Column<ConfigEntry>[] = [
  {
    key: 'name',
    label: messages.config.name,
    phone: 'title',
    cell: ({ name }) => (
      <span className="mono" translate="no">
        {name}
      </span>
    ),
  },
  {
    key: 'value',
    label: messages.config.value,
    phone: 'bare',
    cell: ({ value, secret }) =>
      secret ? (
        <Text span inherit c="dimmed">
          {messages.config.secret}, {value}
        </Text>
      ) : value === '' ? (
        <Text span inherit c="dimmed">
          {messages.config.empty}
        </Text>
      ) : (
        <span className="mono" translate="no">
          {value}
        </span>
      ),
  },
];
