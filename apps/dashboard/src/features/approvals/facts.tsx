import type { Action, ActionContext } from '#contracts';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { RequestLine, requestSize, requestTexts, suspicionText } from '../../components/request/request-view.js';
import { Clamped } from '../../components/clamped.js';
import { Icon } from '../../components/icon.js';
import { Callout } from '../../components/notices.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { StatusChip } from '../../components/status-chip.js';
import { Countdown, RelativeTime } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { messages as shared } from '../../lib/messages.js';
import { countSuspicions } from '../../lib/text-safety.js';
import classes from './facts.module.css';
import { messages } from './messages.js';
import { useWithdraw } from './use-withdraw.js';

interface Props {
  action: Action;
  context: ActionContext | undefined;
  waiting: number;
  backTo: string;
  /** The body, if it is short enough to show here. */
  body: ReactNode;
}

/** The five facts for a decision, in order: what happens, the risk, the agent and its intent, the request, whether the agent still waits. */
export function Facts({ action, context, waiting, backTo, body }: Props) {
  const warning = suspicionText(countSuspicions([action.intent, action.summary, ...requestTexts(action)]));
  return (
    <header className={classes.facts}>
      <div className={classes.top}>
        <Link to={backTo} className={classes.back}>
          <Icon name="back" size={18} />
          {messages.detail.back(waiting)}
        </Link>
        <span className={classes.state}>
          {action.status !== 'PENDING' && <StatusChip status={action.status} />}
          {action.status === 'PENDING' && <Countdown until={action.expires_at} />}
          {action.status === 'APPROVED' && action.approvalExpiresAt && (
            <Countdown until={action.approvalExpiresAt} words={shared.time.runWithin} />
          )}
        </span>
      </div>
      <div>
        <h1 className={classes.sentence} tabIndex={-1}>
          <UntrustedText text={action.summary} inline />
        </h1>
        <div className={classes.service}>
          {action.service.id === null ? (
            action.service.name
          ) : (
            <Link to={`/services/${action.service.id}`}>{action.service.name}</Link>
          )}{' '}
          · <HostOf url={action.targetUrl} />
        </div>
      </div>
      {action.status !== 'PENDING' && <Outcome action={action} />}
      <div className={classes.risk}>
        <RiskBadge score={action.risk_score} />
        <Clamped>
          <UntrustedText text={action.risk_explanation || messages.detail.noExplanation} inline />{' '}
          <span className={classes.source}>· {shared.risk.sources[action.risk_source]}</span>
        </Clamped>
      </div>
      {action.repeats && <Repeats earlier={action.repeats} />}
      <div>
        <div className={classes.dim}>
          {action.agent.id === null ? (
            <b>{action.agent.name}</b>
          ) : (
            <Link to={`/agents/${action.agent.id}`}>
              <b>{action.agent.name}</b>
            </Link>
          )}{' '}
          {messages.detail.agentSays}
        </div>
        <blockquote className={classes.intent}>
          <Clamped>
            <span className={classes.quoted}>
              <UntrustedText text={action.intent} />
            </span>
          </Clamped>
        </blockquote>
        <NoveltyLine action={action} context={context} />
      </div>
      {warning && <Callout tone="danger">{warning}</Callout>}
      <div className={classes.request}>
        <Clamped>
          <RequestLine method={action.method} targetUrl={action.targetUrl} />
        </Clamped>
        {body ?? <span className={classes.dim}>{requestSize(action, context?.injectedHeaders ?? [])}</span>}
      </div>
      {action.status === 'PENDING' && <Presence action={action} />}
    </header>
  );
}

/** Says that the same request was held before. It is above the intent, so that approvers read it before the agent's new words. */
function Repeats({ earlier }: { earlier: NonNullable<Action['repeats']> }) {
  const { text, link } = messages.repeats;
  const name = earlier.resolved_by?.name ?? messages.timeline.somebody;
  const at = earlier.resolved_at;
  const when = useNow((now) => (at === null ? '' : ` ${ago(at, now)}`));
  return (
    <Callout tone="warning">
      {text(earlier.status, name, when)} <Link to={`/approvals/${earlier.action_id}`}>{link}</Link>
    </Callout>
  );
}

function HostOf({ url }: { url: string }) {
  return <span className="mono">{URL.canParse(url) ? new URL(url).host : url}</span>;
}

function NoveltyLine({ action, context }: { action: Action; context: ActionContext | undefined }) {
  if (!context) return null;
  const { earlierRequests, earlierSameMethod, agentCreatedAt } = context.novelty;
  const text =
    earlierRequests === 0
      ? messages.detail.firstEver
      : earlierSameMethod === 0
        ? messages.detail.firstMethod(action.method)
        : messages.detail.earlier(earlierSameMethod, action.method);
  // The counts include only sent requests. For a repeated request, "First" would contradict the notice about the earlier one.
  const told = action.repeats === null || earlierSameMethod > 0;
  return (
    <div className={classes.dim}>
      {told && <span className={earlierSameMethod === 0 ? classes.novel : undefined}>{text}</span>}
      {told && agentCreatedAt && ' · '}
      {agentCreatedAt && <AgentSince at={agentCreatedAt} />}
    </div>
  );
}

function AgentSince({ at }: { at: string }) {
  const text = useNow((now) => messages.detail.agentSince(ago(at, now)));
  return <span>{text}</span>;
}

/** A long poll checks once a minute. An agent that is silent for longer has stopped. */
const STILL_WAITING_MS = 75_000;

function Presence({ action }: { action: Action }) {
  const at = action.last_polled_at;
  const here = useNow((now) => at !== null && now - Date.parse(at) < STILL_WAITING_MS);
  const text = useNow((now) =>
    at === null
      ? messages.detail.neverPolled
      : here
        ? messages.detail.polled(ago(at, now))
        : messages.detail.stopped(ago(at, now)),
  );
  return (
    <div className={classes.presence} data-here={here || undefined}>
      {text}
    </div>
  );
}

/** The error status of the upstream after an execution. */
const failedWith = ({ result }: Action): number | null => (result && result.status >= 400 ? result.status : null);

function outcomeText(action: Action): string {
  const { state } = messages;
  const { status, resolved_at: resolvedAt, last_polled_at: polledAt } = action;
  const name = action.resolved_by?.name ?? messages.timeline.somebody;
  const failed = failedWith(action);
  if (failed !== null) return state.failed(name, failed);
  if (status === 'EXPIRED' || status === 'PENDING') return state.EXPIRED;
  if (status === 'APPROVED' && action.blocked !== null) return state.approvedButBlocked(name, action.blocked);
  const seen = resolvedAt !== null && polledAt !== null && polledAt > resolvedAt;
  return status === 'DENIED' && seen ? state.DENIED_SEEN(name) : state[status](name);
}

/** Says why the action cannot be decided any more, and who decided it. */
function Outcome({ action }: { action: Action }) {
  const at = action.executed_at ?? action.resolved_at;
  const tone = {
    PENDING: 'info',
    APPROVED: 'success',
    DENIED: 'danger',
    EXPIRED: 'info',
    EXECUTED: 'success',
  } as const;
  return (
    <Callout tone={failedWith(action) === null && action.blocked === null ? tone[action.status] : 'warning'}>
      {outcomeText(action)} {at && <RelativeTime at={at} />}
      {action.resolution_note && (
        <div>
          {messages.state.note}: <UntrustedText text={action.resolution_note} inline />
        </div>
      )}
      {action.status === 'APPROVED' && <Withdraw action={action} />}
    </Callout>
  );
}

/** Withdraws an approval when the toast with Undo is gone. */
function Withdraw({ action }: { action: Action }) {
  const { mutate, isPending } = useWithdraw(action);
  return (
    <div className={classes.withdraw}>
      <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
        {messages.decide.withdraw}
      </Button>
    </div>
  );
}
