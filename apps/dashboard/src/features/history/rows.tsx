import type { AuditRecord } from '#contracts';
import { Text, UnstyledButton, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { RequestSummary } from '../../components/request/request-summary.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { StatusCode } from '../../components/status-chip.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { clockTime, dateTime, day, elapsed } from '../../lib/format.js';
import { isToday, useNow } from '../../lib/clock.js';
import { OutcomeChip } from './decision-chip.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import { formatChangeTarget, noteOf, reasonWords } from './words.js';

export interface RowProps {
  record: AuditRecord;
  open: (id: string) => void;
}

export function When({ at }: { at: string }) {
  const today = useNow((nowMs) => isToday(at, nowMs));
  return (
    <Cell area="when" c="dimmed" fz="sm">
      <time dateTime={at} title={dateTime(at)}>
        {!today && `${day(at)} `}
        {clockTime(Date.parse(at))}
      </time>
    </Cell>
  );
}

/** A cell of a row, or a line of one. The style sheet says where its area is. */
export function Cell({
  area,
  className = '',
  children,
  ...text
}: TextProps & { area?: string; className?: string; children: ReactNode }) {
  return (
    <Text span inherit truncate className={`${classes.cell} ${className}`} {...text} style={{ gridArea: area }}>
      {children}
    </Text>
  );
}

/** What the row is about, and below it why: the note of the person who decided, or the reason of the gateway. */
export function Explained({ record, children }: { record: AuditRecord; children: ReactNode }) {
  const note = noteOf(record);
  const refusal = record.outcome === 'refused' && record.method !== null ? record.reason : null;
  return (
    <span className={classes.explained} style={{ gridArea: 'what' }}>
      {children}
      {note !== null && (
        <Text span c="dimmed" size="sm" lineClamp={2}>
          “<UntrustedText text={note} inline prose />”
        </Text>
      )}
      {refusal !== null && (
        <Text span c="dimmed" size="sm" lineClamp={2}>
          <UntrustedText text={refusal} inline prose />
        </Text>
      )}
      {record.undoneAt !== null && (
        <Text span c="dimmed" size="sm">
          {messages.undone(dateTime(record.undoneAt))}
        </Text>
      )}
    </span>
  );
}

/** A request as a row, or as a card on phones. */
export function RequestRow({ record, open }: RowProps) {
  return (
    <UnstyledButton
      className={`${classes.line} ${classes.row}`}
      data-tab="requests"
      data-record={record.id}
      onClick={() => open(record.id)}
    >
      <When at={record.at} />
      <OutcomeChip record={record} />
      <Cell area="who">{record.agent ? <span translate="no">{record.agent.name}</span> : messages.gone}</Cell>
      <Explained record={record}>
        <Cell className={classes.request}>
          {record.headline !== null && (
            <>
              <b>
                <UntrustedText text={record.headline} inline />
              </b>
              {' · '}
            </>
          )}
          {record.method && record.url ? (
            <RequestSummary method={record.method} targetUrl={record.url} />
          ) : (
            <UntrustedText text={record.reason ?? ''} inline />
          )}
        </Cell>
      </Explained>
      <Cell area="risk">{record.riskScore !== null && <RiskBadge score={record.riskScore} size="short" />}</Cell>
      <Cell area="status">{record.upstreamStatus !== null && <StatusCode status={record.upstreamStatus} />}</Cell>
      <Cell area="took" fz="sm">
        {record.durationMs !== null && elapsed(record.durationMs)}
      </Cell>
    </UnstyledButton>
  );
}

/** A change as a row. */
export function ChangeRow({ record, open }: RowProps) {
  const which = formatChangeTarget(record);
  return (
    <UnstyledButton
      className={`${classes.line} ${classes.row}`}
      data-tab="changes"
      data-record={record.id}
      onClick={() => open(record.id)}
    >
      <When at={record.at} />
      <Cell area="who">{record.actor ? <span translate="no">{record.actor.name}</span> : messages.somebody}</Cell>
      <Cell area="what">{reasonWords(record.reason)}</Cell>
      <Cell area="which">{which !== '' && <UntrustedText text={which} inline />}</Cell>
    </UnstyledButton>
  );
}
