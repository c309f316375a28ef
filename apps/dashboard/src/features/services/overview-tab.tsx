import type { Service, ServiceUsage } from '#contracts';
import { Button, Grid, Group, List, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { Chip } from '../../components/chip.js';
import { EditableSection } from '../../components/editable-section.js';
import { Card, Section } from '../../components/page.js';
import { Sparkline } from '../../components/sparkline.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { number } from '../../lib/format.js';
import { agentsQuery } from '../../lib/queries.js';
import { useMay } from '../../lib/workspace.js';
import { BaseUrlSettings } from './base-url-settings.js';
import { ConnectionDetails } from './connection-details.js';
import { ConnectionTest } from './connection-test.js';
import { DeleteService } from './delete-service.js';
import { EditService } from './edit-service.js';
import { messages } from './messages.js';
import { PauseService } from './pause-service.js';

const text = messages.overview;

/** The service's properties, its agents, and a connection test. */
export function OverviewTab({ service, usage }: { service: Service; usage: ServiceUsage | undefined }) {
  const [search] = useSearchParams();
  const { data: agents } = useQuery(agentsQuery);
  const may = useMay('admin');
  const users = agents?.filter(({ services }) => services.some(({ id }) => id === service.id));
  return (
    <Grid columns={5} gap="xl">
      <Grid.Col span={{ base: 5, md: 3 }}>
        <Stack gap="xl">
          {service.connection && (
            <Card>
              <ConnectionDetails service={service} />
            </Card>
          )}
          <EditableSection
            title={text.about}
            editLabel={text.edit}
            form={(close) => <EditService service={service} close={close} />}
          >
            <Terms
              items={[
                [
                  text.baseUrl,
                  <span className="mono" translate="no">
                    {service.baseUrl}
                  </span>,
                ],
                [text.auth, messages.auth[service.authType]],
                [
                  messages.certificate.title,
                  service.certificate && (
                    <>
                      {messages.certificate.until} <Moment at={service.certificate.validTo} />
                    </>
                  ),
                ],
                [text.requests, usage && <Requests service={service} usage={usage} />],
                [text.created, <Moment at={service.createdAt} />],
                [text.changed, <Moment at={service.updatedAt} />],
              ]}
            />
          </EditableSection>
          <BaseUrlSettings
            key={JSON.stringify([service.rewriteLinks, service.requestCodings, service.baseUrlDefaults])}
            service={service}
          />
          <Section title={text.agents}>
            <Card>
              {!users || users.length === 0 ? (
                <Group justify="space-between">
                  <span>{users && text.noAgents}</span>
                  {may && (
                    <Button component={Link} to={`/agents/new?service=${service.id}`} variant="default" size="xs">
                      {messages.create.newAgent}
                    </Button>
                  )}
                </Group>
              ) : (
                <List listStyleType="none" spacing={6}>
                  {users.map((agent) => (
                    <List.Item key={agent.id}>
                      <Link to={`/agents/${agent.id}`} translate="no">
                        {agent.name}
                      </Link>{' '}
                      {!agent.isActive && <Chip>{text.inactive}</Chip>}
                    </List.Item>
                  ))}
                </List>
              )}
            </Card>
          </Section>
        </Stack>
      </Grid.Col>
      {may && (
        <Grid.Col span={{ base: 5, md: 2 }}>
          <Stack gap="xl">
            <Card>
              <ConnectionTest service={service} runAtOnce={search.get('connection') === 'connected'} />
            </Card>
            <PauseService service={service} />
            <DeleteService service={service} users={users ?? []} />
          </Stack>
        </Grid.Col>
      )}
    </Grid>
  );
}

function Requests({ service, usage }: { service: Service; usage: ServiceUsage }) {
  return (
    <Group gap={10}>
      <b>{number(usage.requests24h)}</b>
      <Sparkline values={usage.hourly} label={messages.hourly(usage.hourly.join(', '))} />
      <Link to={`/history?service=${service.id}`}>{text.seeRequests}</Link>
    </Group>
  );
}
