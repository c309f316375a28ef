import type { Action } from '#contracts';
import { Text } from '@mantine/core';
import { Callout } from '../../components/notices.js';
import { RelativeTime } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { useNow } from '../../lib/clock.js';
import { ActionLink } from './action-link.js';
import { messages } from './messages.js';
import { outcomeMessages } from './outcome-messages.js';
import { TakeBack } from './take-back.js';

/** The error status of the upstream after an execution. */
const failedWith = ({ result }: Action): number | null => (result && result.status >= 400 ? result.status : null);

/**
 * @param soon whether the approval does not count yet
 * @param over whether the time for the decision is over
 */
function outcomeText(action: Action, soon: boolean, over: boolean): string {
  const { status } = action;
  const name = action.resolved_by?.name ?? messages.timeline.somebody;
  const failed = failedWith(action);
  if (failed !== null) return outcomeMessages.failed(name, failed);
  if (status === 'EXPIRED' || status === 'PENDING') return outcomeMessages.EXPIRED;
  if (status === 'APPROVED' && action.blocked !== null) return outcomeMessages.approvedButBlocked(name, action.blocked);
  if (action.executing) return outcomeMessages.executing(name);
  if (action.revised_as !== null) return outcomeMessages.revised(name);
  if (status === 'APPROVED' && soon) return outcomeMessages.approvedSoon(name);
  if (status === 'DENIED' && isSeen(action)) return outcomeMessages.DENIED_SEEN(name);
  return status === 'DENIED' && over ? outcomeMessages.DENIED_UNSEEN(name) : outcomeMessages[status](name);
}

/** Whether the agent has checked since the decision. */
const isSeen = ({ resolved_at: resolvedAt, last_polled_at: polledAt }: Action): boolean =>
  resolvedAt !== null && polledAt !== null && polledAt > resolvedAt;

const TONES = {
  PENDING: 'info',
  APPROVED: 'success',
  DENIED: 'danger',
  EXPIRED: 'info',
  EXECUTED: 'success',
} as const;

function toTone(action: Action): 'info' | 'success' | 'danger' | 'warning' {
  if (failedWith(action) !== null || action.blocked !== null) return 'warning';
  // Nobody refused it: the agent runs the edited request.
  return action.revised_as === null ? TONES[action.status] : 'info';
}

/** Shows why the action cannot be decided any more, and who decided it. */
export default function Outcome({ action }: { action: Action }) {
  const at = action.executed_at ?? action.resolved_at;
  const soon = useNow((now) => action.countsFrom !== null && Date.parse(action.countsFrom) > now);
  const over = useNow((now) => Date.parse(action.expires_at) <= now);
  return (
    <Callout tone={toTone(action)}>
      {outcomeText(action, soon, over)}
      {at && (
        <Text size="sm" c="dimmed">
          {action.executed_at ? outcomeMessages.ran : outcomeMessages.decided} <RelativeTime at={at} />
        </Text>
      )}
      {action.revised_as !== null && (
        <div>
          {outcomeMessages.revisedAs} <ActionLink id={action.revised_as} />
        </div>
      )}
      {action.revised_as === null && action.resolution_note && (
        <div>
          {action.status === 'DENIED' ? outcomeMessages.noteToAgent : outcomeMessages.note}:{' '}
          <UntrustedText text={action.resolution_note} inline prose />
        </div>
      )}
      {action.status === 'APPROVED' && <TakeBack action={action} />}
    </Callout>
  );
}
