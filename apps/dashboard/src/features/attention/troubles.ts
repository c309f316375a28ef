import type { Agent, Channel, Service, ServiceUsage } from '#contracts';
import { CERTIFICATE_NOTICE_DAYS, certificateDays } from '../../lib/certificate.js';
import { needsPerson } from '../../lib/connection-state.js';
import { risenRejections } from '../../lib/rejections.js';
import { rotationDue } from '../../lib/rotation-due.js';
import { messages } from './messages.js';

/** A thing that an administrator has to mend. */
export interface Trouble {
  key: string;
  /** The name of the service, agent or channel. */
  name: string;
  text: string;
  /** Null: not known. */
  since: string | null;
  /** The page where it is mended, and what the person does there. */
  to: string;
  mend: string;
}

interface Things {
  services: readonly Service[];
  usage: readonly ServiceUsage[];
  agents: readonly Agent[];
  channels: readonly Channel[];
}

/** What needs an administrator. Services come first, because without them requests fail. */
export function findTroubles({ services, usage, agents, channels }: Things, nowMs: number): Trouble[] {
  const usageById = new Map(usage.map((each) => [each.serviceId, each]));
  return [
    ...services.map((service) => ofService(service, usageById.get(service.id), nowMs)),
    ...agents.map(ofAgent),
    ...channels.map(ofChannel),
  ].filter((trouble) => trouble !== null);
}

/** The most urgent trouble of a service, in the order of `CredentialState`. A pause is no trouble: somebody wants it. */
function ofService(service: Service, usage: ServiceUsage | undefined, nowMs: number): Trouble | null {
  const { id, name, connection, certificate, missingCredentials, unconfirmedHosts, credentialsRotatedAt } = service;
  const page = `/services/${id}`;
  const trouble = (
    text: string,
    mend: keyof typeof messages.mend,
    since: string | null = null,
    to = `${page}/credentials`,
  ): Trouble => ({ key: `service-${id}`, name, text, since, to, mend: messages.mend[mend] });
  if (unconfirmedHosts.length > 0) return trouble(messages.moved(unconfirmedHosts.join(', ')), 'confirm', null, page);
  if (needsPerson(service))
    return connection!.state === 'none'
      ? trouble(messages.unconnected, 'connect', service.createdAt, page)
      : trouble(messages.lost, 'reconnect', earlier(connection!.expiresAt, nowMs), page);
  if (missingCredentials.length > 0)
    return trouble(
      messages.missing(missingCredentials.join(', ')),
      'credentials',
      credentialsRotatedAt === null ? service.createdAt : null,
    );
  if (connection?.state === 'reconnect') return trouble(messages.lost, 'replace');
  const days = certificateDays(service, nowMs);
  if (days <= 0) return trouble(messages.certificateEnded, 'replace', certificate!.validTo);
  const risen = risenRejections(usage);
  if (risen) return trouble(messages.risen(risen.after.rejected, risen.after.answers), 'replace', credentialsRotatedAt);
  if (service.credentialsRejected) return trouble(messages.rejectedByTest, 'replace', credentialsRotatedAt);
  if (days <= CERTIFICATE_NOTICE_DAYS) return trouble(messages.certificateEnds(certificate!.validTo), 'replace');
  if (usage && usage.unauthorized24h > 0) return trouble(messages.rejected(usage.unauthorized24h), 'replace');
  if (rotationDue(service, nowMs) === 'overdue') return trouble(messages.overdue, 'replace', service.rotationDueAt);
  return null;
}

const earlier = (at: string | null, nowMs: number): string | null =>
  at !== null && Date.parse(at) <= nowMs ? at : null;

const ofAgent = ({ id, name, callbackRequestedHost: host }: Agent): Trouble | null =>
  host === null
    ? null
    : {
        key: `agent-${id}`,
        name,
        text: messages.callback(host),
        since: null,
        to: `/agents/${id}/callback`,
        mend: messages.mend.callback,
      };

function ofChannel({ id, name, isActive, failingSince, disabledReason }: Channel): Trouble | null {
  const failing = isActive && failingSince !== null;
  if (!failing && disabledReason === null) return null;
  return {
    key: `channel-${id}`,
    name,
    text: disabledReason === null ? messages.failing : messages.disabled(disabledReason),
    since: failing ? failingSince : null,
    to: '/settings/notifications',
    mend: messages.mend.channel,
  };
}
