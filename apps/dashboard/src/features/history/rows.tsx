import type { AuditRecord } from '#contracts';
import { RequestLine } from '../../components/request/request-view.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { StatusCode } from '../../components/status-chip.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { clockTime, dateTime, day, elapsed } from '../../lib/format.js';
import { useNow } from '../../lib/clock.js';
import { OutcomeChip } from './decision-chip.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import { reasonWords } from './words.js';

export interface RowProps {
  record: AuditRecord;
  open: (id: string) => void;
}

export function When({ at }: { at: string }) {
  const today = useNow((now) => new Date(now).toDateString() === new Date(at).toDateString());
  return (
    <time dateTime={at} title={dateTime(at)} className={classes.when}>
      {!today && `${day(at)} `}
      {clockTime(Date.parse(at))}
    </time>
  );
}

/** A request as a row, or as a card on phones. */
export function RequestRow({ record, open }: RowProps) {
  return (
    <button
      type="button"
      className={classes.row}
      data-tab="requests"
      data-record={record.id}
      onClick={() => open(record.id)}
    >
      <When at={record.at} />
      <OutcomeChip record={record} />
      <span className={classes.cut}>{record.agent?.name ?? messages.gone}</span>
      <span className={classes.cut}>
        {record.method && record.url ? (
          <RequestLine method={record.method} targetUrl={record.url} wrap={false} />
        ) : (
          <UntrustedText text={record.reason ?? ''} inline />
        )}
      </span>
      <span>{record.riskScore !== null && <RiskBadge score={record.riskScore} size="short" />}</span>
      <span>{record.upstreamStatus !== null && <StatusCode status={record.upstreamStatus} />}</span>
      <span className={classes.took}>{record.durationMs !== null && elapsed(record.durationMs)}</span>
    </button>
  );
}

/** A change as a row. */
export function ChangeRow({ record, open }: RowProps) {
  const which = record.service?.name ?? record.agent?.name;
  return (
    <button
      type="button"
      className={classes.row}
      data-tab="changes"
      data-record={record.id}
      onClick={() => open(record.id)}
    >
      <When at={record.at} />
      <span className={classes.cut}>{record.actor?.name ?? messages.somebody}</span>
      <span className={classes.cut}>{reasonWords(record.reason)}</span>
      <span className={classes.cut}>{which && <UntrustedText text={which} inline />}</span>
    </button>
  );
}
