import type { Action } from '#contracts';
import { Link } from 'react-router';
import { Callout } from '../../components/notices.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { messages } from './messages.js';
import { repeatsMessages } from './repeats-messages.js';

/**
 * Says that the same request was held before. It is above the intent, so that approvers read it before the agent's new
 * words.
 */
export default function Repeats({ earlier }: { earlier: NonNullable<Action['repeats']> }) {
  const name = earlier.resolved_by?.name ?? messages.timeline.somebody;
  const at = earlier.resolved_at;
  const when = useNow((now) => (at === null ? '' : ` ${ago(at, now)}`));
  return (
    <Callout tone="warning">
      {repeatsMessages.text(earlier.status, name, when)}{' '}
      <Link to={`/approvals/${earlier.action_id}`}>{repeatsMessages.link}</Link>
    </Callout>
  );
}
