import type { Service } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { agentsQuery, serviceUsageQuery } from '../../lib/queries.js';
import { messages } from './messages.js';

const text = messages.rotation.impact;
const NAMES_SHOWN = 3;

/** Shows the agents that depend on the credentials of a service, before somebody replaces them. */
export function RotationImpact({ service }: { service: Service }) {
  const { data: agents } = useQuery(agentsQuery);
  const { data: usage } = useQuery(serviceUsageQuery);
  if (!agents) return null;
  const users = agents.filter(({ isActive, services }) => isActive && services.some(({ id }) => id === service.id));
  if (users.length === 0) return <Callout tone="info">{text.nobody}</Callout>;
  const names = users.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const requests = usage?.find(({ serviceId }) => serviceId === service.id)?.requests24h;
  return (
    <Callout tone="info">
      {text.users(names, users.length - names.length)} {requests !== undefined && text.requests(requests)}{' '}
      {service.oauth?.grant === 'authorization_code' ? text.failsReconnect : text.fails}
    </Callout>
  );
}
