import type { Agent, AgentUsage } from '#contracts';
import { Grid, Group, List, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { EditableSection } from '../../components/editable-section.js';
import { Terms } from '../../components/terms.js';
import { Moment, RelativeTime } from '../../components/time.js';
import { agentUsageQuery } from '../../lib/queries.js';
import { useMay } from '../../lib/workspace.js';
import { DeleteAgent } from './delete-agent.js';
import { KeyCard } from './key-card.js';
import { KeyLimits } from './key-limits.js';
import { messages } from './messages.js';
import { OldKey } from './old-key.js';
import { RenameAgent } from './rename-agent.js';
import { RequestedHost } from './requested-host.js';

const text = messages.overview;

/** The agent's properties, activity and key. */
export function OverviewTab({ agent }: { agent: Agent }) {
  const may = useMay('admin');
  const usage = useQuery(agentUsageQuery([agent.id])).data?.at(0);
  return (
    <Stack gap="xl">
      <RequestedHost agent={agent} />
      <Grid columns={5} gap="xl">
        <Grid.Col span={{ base: 5, md: 3 }}>
          <Stack gap="xl">
            <EditableSection
              title={text.about}
              editLabel={text.rename}
              form={(close) => <RenameAgent agent={agent} close={close} />}
            >
              <Terms
                items={[
                  [text.lastUsed, agent.lastUsedAt ? <RelativeTime at={agent.lastUsedAt} /> : messages.never],
                  [text.week, usage && <Week agent={agent} usage={usage} />],
                  [text.services, <Services agent={agent} may={may} />],
                  [messages.hosts.term, <Hosts agent={agent} may={may} />],
                  [text.created, <Moment at={agent.createdAt} />],
                  [text.changed, <Moment at={agent.updatedAt} />],
                ]}
              />
            </EditableSection>
            <KeyLimits agent={agent} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 5, md: 2 }}>
          <Stack gap="xl">
            {may ? <KeyCard agent={agent} /> : <OldKey agent={agent} />}
            <DeleteAgent agent={agent} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Week({ agent, usage }: { agent: Agent; usage: AgentUsage }) {
  return (
    <Group gap="4px 16px">
      {messages.weekLong(usage.requests7d, usage.held7d, usage.denied7d)}
      <Link to={`/history?agent=${agent.id}`}>{text.seeRequests}</Link>
    </Group>
  );
}

function Services({ agent, may }: { agent: Agent; may: boolean }) {
  return (
    <List listStyleType="none" spacing="xs">
      {agent.services.map(({ id, name }) => (
        <List.Item key={id}>
          <Link to={`/services/${id}`} translate="no">
            {name}
          </Link>
        </List.Item>
      ))}
      {may && (
        <List.Item>
          <Link to={`/agents/${agent.id}/access`}>{text.edit}</Link>
        </List.Item>
      )}
    </List>
  );
}

function Hosts({ agent, may }: { agent: Agent; may: boolean }) {
  return (
    <List listStyleType="none" spacing="xs">
      {agent.callbackHosts.map((host) => (
        <List.Item key={host} className="mono" translate="no">
          {host}
        </List.Item>
      ))}
      {agent.callbackHosts.length === 0 && <List.Item>{messages.hosts.nowhere}</List.Item>}
      {may && (
        <List.Item>
          <Link to={`/agents/${agent.id}/callback`}>{messages.hosts.edit}</Link>
        </List.Item>
      )}
    </List>
  );
}
