import type { Action } from '#contracts';
import { Group } from '@mantine/core';
import { Section } from '../../components/page.js';
import { Moment } from '../../components/time.js';
import { useNow } from '../../lib/clock.js';
import { Dim } from './dim.js';
import classes from './evidence.module.css';
import { messages } from './messages.js';
import { timelineMessages } from './timeline-messages.js';

interface Entry {
  at: string;
  text: string;
  future?: boolean;
}

function moments(action: Action, nowMs: number): Entry[] {
  const name = action.resolved_by?.name ?? messages.timeline.somebody;
  const list: Entry[] = [{ at: action.created_at, text: timelineMessages.asked }];
  if (action.last_polled_at) list.push({ at: action.last_polled_at, text: timelineMessages.polled });
  const { needed, given } = action.approvals;
  // The last one is the decision.
  for (const one of needed > 1 ? given.filter(({ at }) => at !== action.resolved_at) : []) {
    list.push({ at: one.at, text: timelineMessages.gave(one.name) });
  }
  if (action.resolved_at) {
    list.push({
      at: action.resolved_at,
      text:
        action.revised_as !== null
          ? timelineMessages.revised(name)
          : action.status === 'DENIED'
            ? timelineMessages.denied(name)
            : timelineMessages.approved(name),
    });
  }
  if (action.executed_at && action.result)
    list.push({ at: action.executed_at, text: timelineMessages.executed(action.result.status) });
  list.sort((a, b) => a.at.localeCompare(b.at));
  if (action.status === 'PENDING') list.push({ at: action.expires_at, text: timelineMessages.expires, future: true });
  if (action.status === 'APPROVED' && action.approvalExpiresAt) {
    list.push({
      at: action.approvalExpiresAt,
      text: timelineMessages.runBy,
      future: Date.parse(action.approvalExpiresAt) > nowMs,
    });
  }
  if (action.status === 'EXPIRED') {
    list.push({
      at: action.approvalExpiresAt ?? action.expires_at,
      text: action.approvalExpiresAt ? timelineMessages.runExpired : timelineMessages.expired,
    });
  }
  return list;
}

/** The history of the action in order. */
export function Timeline({ action }: { action: Action }) {
  const minute = useNow((now) => Math.floor(now / 60_000));
  return (
    <Section title={messages.detail.timeline}>
      <ol className={`plain-list ${classes.timeline}`}>
        {moments(action, minute * 60_000).map((moment) => (
          <li key={moment.text} data-future={moment.future || undefined}>
            <Group justify="space-between" gap="0 16px">
              <span>{moment.text}</span>
              <Dim>
                <Moment at={moment.at} />
              </Dim>
            </Group>
          </li>
        ))}
      </ol>
      {action.digest !== null && (
        <Dim>
          {timelineMessages.digest}{' '}
          <span className="mono anywhere" translate="no">
            {action.digest}
          </span>
        </Dim>
      )}
      {action.times_asked > 1 && <Dim>{timelineMessages.askedAgain(action.times_asked)}</Dim>}
    </Section>
  );
}
