import type { Service, ServiceUsage } from '#contracts';
import { Chip } from '../../components/chip.js';
import { CERTIFICATE_NOTICE_DAYS, certificateDays } from '../../lib/certificate.js';
import { useNow } from '../../lib/clock.js';
import { ago, day, duration } from '../../lib/format.js';
import { needsPerson } from '../../lib/connection-state.js';
import { useUnreached } from './latest-tests.js';
import { messages } from './messages.js';
import { risenRejections } from '../../lib/rejections.js';
import { rotationDue } from '../../lib/rotation-due.js';

/** Whether the credentials were replaced after the service was added. */
export const wereReplaced = ({ credentialsRotatedAt, createdAt }: Service): boolean =>
  credentialsRotatedAt !== null && credentialsRotatedAt !== createdAt;

interface Props {
  service: Service;
  usage: ServiceUsage | undefined;
  /** Says that it is about credentials, because no heading does. */
  named?: boolean;
}

/**
 * The most urgent state of a service or its credentials: paused, waiting for a confirmation, not connected, missing,
 * expired, rejected more often than before, rejected by the last test, not reached by it, about to expire, rejected, or
 * due. Otherwise the age of the credentials.
 */
export function CredentialState({ service, usage, named = false }: Props) {
  const { missingCredentials, credentialsRotatedAt, credentialsRejected, certificate, rotationDueAt } = service;
  const isUnreached = useUnreached(service);
  const unauthorized = usage?.unauthorized24h ?? 0;
  const left = useNow((now) => certificateDays(service, now));
  const age = useNow((now) => (credentialsRotatedAt ? ago(credentialsRotatedAt, now) : ''));
  const due = useNow((now) => rotationDue(service, now) ?? '');
  const dueIn = useNow((now) =>
    rotationDueAt === null ? '' : duration(Math.abs(Date.parse(rotationDueAt) - now) / 1000),
  );
  if (service.isPaused) return <Chip tone="bad">{messages.state.paused}</Chip>;
  if (service.unconfirmedHosts.length > 0) return <Chip tone="bad">{messages.state.moved}</Chip>;
  if (needsPerson(service)) {
    const { state } = service.connection!;
    return <Chip tone={state === 'reconnect' ? 'bad' : 'warning'}>{messages.connection.states[state]}</Chip>;
  }
  if (missingCredentials.length > 0)
    return <Chip tone="bad">{messages.state.missing(missingCredentials.join(', '))}</Chip>;
  if (left <= 0) return <Chip tone="bad">{messages.certificate.ended}</Chip>;
  if (risenRejections(usage)) return <Chip tone="bad">{messages.rotation.risen.chip}</Chip>;
  if (credentialsRejected)
    return (
      <Chip tone="bad">{named ? messages.state.ofCredentials(messages.state.rejected) : messages.state.rejected}</Chip>
    );
  if (isUnreached) return <Chip tone="warning">{messages.state.unreached}</Chip>;
  if (left <= CERTIFICATE_NOTICE_DAYS)
    return <Chip tone="warning">{messages.certificate.endsSoon(day(certificate!.validTo))}</Chip>;
  if (unauthorized > 0) return <Chip tone="warning">{messages.state.unauthorized(unauthorized)}</Chip>;
  if (due !== '') return <Chip tone={due === 'due' ? 'warning' : 'bad'}>{messages.rotation.state[due](dueIn)}</Chip>;
  if (service.authType === 'none' && certificate === null) return <Chip>{messages.state.notNeeded}</Chip>;
  // Where nothing was sent lately, nothing shows that they work.
  const tone = usage && usage.requests24h > 0 ? 'good' : 'plain';
  if (age === '') return <Chip tone={tone}>{messages.state.ok}</Chip>;
  const words = wereReplaced(service) ? messages.state.rotated(age) : messages.state.added(age);
  return <Chip tone={tone}>{named ? messages.state.ofCredentials(words) : words}</Chip>;
}
