import type { Service } from '#contracts';
import { Callout } from '../../components/notices.js';
import { dateTime } from '../../lib/format.js';
import { needsPerson } from '../../lib/connection-state.js';
import { messages } from './messages.js';
import { RevertButton } from './revert-button.js';
import { useConnectionOutcome } from './use-connection-outcome.js';

const TONES = { connected: 'success', denied: 'warning', failed: 'danger' } as const;

/** The result of the sign-in at the provider, after the browser has come back. */
export function ConnectionOutcome({ service }: { service: Service }) {
  const outcome = useConnectionOutcome();
  if (outcome === null || service.connection === null) return null;
  const reason = outcome === 'connected' ? null : service.connection.error;
  const words = { ...messages.connection.outcomes, ...(needsPerson(service) ? {} : messages.connection.kept) };
  return (
    <div role="status">
      <Callout tone={TONES[outcome]}>
        {words[outcome](service.name)} {reason !== null && messages.connection.error(reason)}{' '}
        {outcome === 'connected' && service.previousCredentials !== null && (
          <>
            {messages.connection.before(dateTime(service.previousCredentials.expiresAt))}{' '}
            <RevertButton service={service} variant="default" size="compact-sm" />
          </>
        )}
      </Callout>
    </div>
  );
}
