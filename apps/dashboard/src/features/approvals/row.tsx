import type { ActionSummary } from '#contracts';
import { Badge } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { effectLine, toldEffects } from '../../components/effects/told.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { StatusChip } from '../../components/status-chip.js';
import { Countdown } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { sharedMessages } from '../../lib/messages.js';
import { spelledOut } from '../../lib/text-safety.js';
import type { ActionGroup } from './groups.js';
import { isWaiting, type Tab } from './filters.js';
import { messages } from './messages.js';
import classes from './row.module.css';

interface Props {
  group: ActionGroup;
  tab: Tab;
  to: string;
  current: boolean;
  /** null outside select mode. */
  selected: boolean | null;
  /** Whether the user has just shown it. */
  fresh: boolean;
  onSelect: (group: ActionGroup) => void;
}

/** What a waiting action waits for, if it is not one approval of the reader. */
function waitsFor(
  { approvals: { needed, given, mayApprove, mayApproveCount } }: ActionSummary,
  tab: Tab,
): string | null {
  if (needed > 1) return messages.row.approvals(given.length, needed);
  if (tab !== 'others' || mayApproveCount === 0) return null;
  return mayApproveCount === 1 ? messages.row.waitsFor(mayApprove[0]!.name) : messages.row.waitsForOne(mayApproveCount);
}

/** A row with two lines: risk, title and service; agent, intent and the time left. */
export const Row = memo(function Row({ group, tab, to, current, selected, fresh, onSelect }: Props) {
  const { first: action, actions } = group;
  const times = actions.length > 1 ? messages.row.identical(actions.length) : messages.row.asked(action.times_asked);
  const headline = spelledOut(action.headline);
  const unassessed = action.status === 'PENDING' ? messages.row.assessment[action.assessment.state] : null;
  const decided = isWaiting(tab) && action.status !== 'PENDING';
  const waits = isWaiting(tab) && !decided ? waitsFor(action, tab) : null;
  return (
    <div
      className={classes.row}
      data-current={current || undefined}
      data-decided={decided || undefined}
      data-fresh={fresh || undefined}
    >
      {selected !== null && (
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={selected}
            disabled={action.status !== 'PENDING'}
            onChange={() => onSelect(group)}
            aria-label={messages.select.item(headline)}
          />
        </label>
      )}
      <Link
        to={to}
        className={classes.link}
        aria-current={current || undefined}
        data-action-id={action.action_id}
        onClick={(event) => {
          if (selected === null) return;
          event.preventDefault();
          onSelect(group);
        }}
      >
        <span className={classes.line}>
          <RiskBadge score={action.risk_score} size="short" />
          <span className={classes.what}>
            <b>
              <UntrustedText text={action.headline} inline />
            </b>{' '}
            · <span translate="no">{action.service.name}</span>
          </span>
          {fresh && <Chip>{messages.row.fresh}</Chip>}
          {times && (
            <Badge size="sm" c="var(--mantine-color-text)">
              {times}
            </Badge>
          )}
        </span>
        <span className={classes.line}>
          <span className={classes.why}>
            <span translate="no">{action.agent.name}</span>: “<UntrustedText text={action.intent} inline prose />”
          </span>
          {action.effects.length > 0 && <b className={classes.does}>{effectLine(toldEffects(action.effects))}</b>}
          {waits !== null && <Chip>{waits}</Chip>}
          {unassessed !== null && <Chip>{unassessed}</Chip>}
          {action.blocked !== null && <Chip tone="bad">{messages.row.blocked}</Chip>}
          {action.approvals.tooFew && <Chip tone="warning">{messages.row.tooFew}</Chip>}
          <span style={{ flex: 'none' }}>
            {decided || tab === 'mine' ? (
              <StatusChip status={action.status} isRevised={action.revised_as !== null} />
            ) : tab === 'approved' && action.approvalExpiresAt ? (
              <Countdown until={action.approvalExpiresAt} words={sharedMessages.time.runWithin} />
            ) : (
              <Countdown until={action.expires_at} />
            )}
          </span>
        </span>
      </Link>
    </div>
  );
});
