import type { Service } from '#contracts';
import { Chip } from '../../components/chip.js';
import { useNow } from '../../lib/clock.js';
import { ago, day } from '../../lib/format.js';
import { needsPerson } from './connection-state.js';
import { messages } from './messages.js';

const DAY_MS = 86_400_000;
/** A new certificate takes some days to get. */
const CERTIFICATE_NOTICE_DAYS = 30;

/** Whether the credentials were replaced after the service was added. */
export const wereReplaced = ({ credentialsRotatedAt, createdAt }: Service): boolean =>
  credentialsRotatedAt !== null && credentialsRotatedAt !== createdAt;

/** The state of a service's credentials: not connected, missing, at their end, rejected by the API, or their age. */
export function CredentialState({ service, unauthorized }: { service: Service; unauthorized: number }) {
  const { missingCredentials, credentialsRotatedAt, certificate } = service;
  const left = useNow((now) => (certificate ? Math.ceil((Date.parse(certificate.validTo) - now) / DAY_MS) : Infinity));
  const age = useNow((now) => (credentialsRotatedAt ? ago(credentialsRotatedAt, now) : ''));
  if (needsPerson(service)) {
    const { state } = service.connection!;
    return <Chip tone={state === 'reconnect' ? 'bad' : 'warning'}>{messages.connection.states[state]}</Chip>;
  }
  if (missingCredentials.length > 0)
    return <Chip tone="bad">{messages.state.missing(missingCredentials.join(', '))}</Chip>;
  if (left <= 0) return <Chip tone="bad">{messages.certificate.ended}</Chip>;
  if (left <= CERTIFICATE_NOTICE_DAYS)
    return <Chip tone="warning">{messages.certificate.endsSoon(day(certificate!.validTo))}</Chip>;
  if (unauthorized > 0) return <Chip tone="warning">{messages.state.unauthorized(unauthorized)}</Chip>;
  if (age === '') return <Chip tone="good">{messages.state.ok}</Chip>;
  return <Chip tone="good">{wereReplaced(service) ? messages.state.rotated(age) : messages.state.added(age)}</Chip>;
}
