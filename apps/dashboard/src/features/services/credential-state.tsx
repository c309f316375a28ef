import type { Service } from '#contracts';
import { Chip } from '../../components/chip.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { messages } from './messages.js';

/** Whether the credentials were replaced after the service was added. */
export const wereReplaced = ({ credentialsRotatedAt, createdAt }: Service): boolean =>
  credentialsRotatedAt !== null && credentialsRotatedAt !== createdAt;

/** The state of a service's credentials: missing, rejected by the API, or their age. */
export function CredentialState({ service, unauthorized }: { service: Service; unauthorized: number }) {
  const { missingCredentials, credentialsRotatedAt } = service;
  const age = useNow((now) => (credentialsRotatedAt ? ago(credentialsRotatedAt, now) : ''));
  if (missingCredentials.length > 0)
    return <Chip tone="bad">{messages.state.missing(missingCredentials.join(', '))}</Chip>;
  if (unauthorized > 0) return <Chip tone="warning">{messages.state.unauthorized(unauthorized)}</Chip>;
  if (age === '') return <Chip tone="good">{messages.state.ok}</Chip>;
  return <Chip tone="good">{wereReplaced(service) ? messages.state.rotated(age) : messages.state.added(age)}</Chip>;
}
