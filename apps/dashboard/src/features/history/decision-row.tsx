import type { AuditRecord } from '#contracts';
import { UnstyledButton } from '@mantine/core';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { dateTime } from '../../lib/format.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import { headlineOf, reasonTone, reasonWords } from './words.js';
import { When, type RowProps } from './rows.js';

/** A decision: who, what and when. The title links to the request. The rest of the row opens the record. */
export function DecisionRow({ record, open }: RowProps) {
  const { actor, agent, service } = record;
  return (
    <div className={classes.row} data-tab="decisions">
      <UnstyledButton
        className={classes.rowOpen}
        data-record={record.id}
        aria-label={messages.openRecord(reasonWords(record.reason), headlineOf(record), dateTime(record.at))}
        onClick={() => open(record.id)}
      />
      <When at={record.at} />
      <span>
        <Chip tone={reasonTone(record.reason)}>
          {messages.decisions[record.reason ?? ''] ?? reasonWords(record.reason)}
        </Chip>
      </span>
      <span className={classes.cut}>{actor?.name ?? messages.somebody}</span>
      <span className={classes.cut}>
        <Headline record={record} />
      </span>
      <span className={classes.cut}>
        <span>
          {[agent, service].map(
            (party, index) =>
              party && (
                <span key={index} className={classes.party}>
                  <UntrustedText text={party.name} inline />
                </span>
              ),
          )}
        </span>
      </span>
    </div>
  );
}

/** The title of the request, as a link. */
export function Headline({ record }: { record: AuditRecord }) {
  const text = <UntrustedText text={headlineOf(record)} inline />;
  if (record.actionId === null) return text;
  return (
    <Link className={classes.headline} to={`/approvals/${record.actionId}`}>
      {text}
    </Link>
  );
}
