import type { Service, ServiceUsage } from '#contracts';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { Card, Section } from '../../components/page.js';
import { Sparkline } from '../../components/sparkline.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { number } from '../../lib/format.js';
import { agentsQuery } from '../../lib/queries.js';
import { BaseUrlSettings } from './base-url-settings.js';
import { ConnectionTest } from './connection-test.js';
import { DangerZone } from './danger-zone.js';
import { EditService } from './edit-service.js';
import { messages } from './messages.js';
import classes from './services.module.css';

const text = messages.overview;

/** The service's properties, its agents, and a connection test. */
export function OverviewTab({ service, usage }: { service: Service; usage: ServiceUsage | undefined }) {
  const [editing, setEditing] = useState(false);
  const { data: agents } = useQuery(agentsQuery);
  const users = agents?.filter(({ services }) => services.some(({ id }) => id === service.id));
  return (
    <div className={classes.columns}>
      <div className={classes.parts}>
        <Section
          title={text.about}
          actions={
            !editing && (
              <Button size="xs" variant="default" onClick={() => setEditing(true)}>
                {text.edit}
              </Button>
            )
          }
        >
          <Card>
            {editing ? (
              <EditService service={service} close={() => setEditing(false)} />
            ) : (
              <Terms
                items={[
                  [text.baseUrl, <span className="mono">{service.baseUrl}</span>],
                  [text.auth, messages.auth[service.authType]],
                  [
                    text.requests,
                    usage && (
                      <span className={classes.requests}>
                        <b>{number(usage.requests24h)}</b>
                        <Sparkline values={usage.hourly} label={messages.hourly(usage.hourly.join(', '))} />
                        <Link to={`/history?service=${service.id}`}>{text.seeRequests}</Link>
                      </span>
                    ),
                  ],
                  [text.created, <Moment at={service.createdAt} />],
                  [text.changed, <Moment at={service.updatedAt} />],
                ]}
              />
            )}
          </Card>
        </Section>
        <BaseUrlSettings key={JSON.stringify([service.rewriteLinks, service.baseUrlDefaults])} service={service} />
        <Section title={text.agents}>
          <Card>
            {!users || users.length === 0 ? (
              <div className={classes.between}>
                <span>{users && text.noAgents}</span>
                <Button component={Link} to={`/agents/new?service=${service.id}`} variant="default" size="xs">
                  {messages.create.newAgent}
                </Button>
              </div>
            ) : (
              <ul className={classes.plainList}>
                {users.map((agent) => (
                  <li key={agent.id} className={classes.between}>
                    <Link to={`/agents/${agent.id}`}>{agent.name}</Link>
                    {!agent.isActive && <Chip>{text.inactive}</Chip>}
                  </li>
                ))}
              </ul>
            )}
          </Card>
        </Section>
      </div>
      <div className={classes.parts}>
        <Card>
          <ConnectionTest service={service} />
        </Card>
        <DangerZone service={service} users={users ?? []} />
      </div>
    </div>
  );
}
