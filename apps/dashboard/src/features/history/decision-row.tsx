import type { AuditRecord } from '#contracts';
import { Anchor, UnstyledButton } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { dateTime } from '../../lib/format.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import { useRequestLink } from './use-request-link.js';
import { formatHeadline, reasonTone, reasonWords } from './words.js';
import { Cell, When, Explained, type RowProps } from './rows.js';

/**
 * A decision: who, what, when and why. The headline links to the request. The rest of the row opens the record.
 */
export function DecisionRow({ record, open }: RowProps) {
  const { actor, agent, service } = record;
  const parties = [agent, service].filter((party) => party !== null);
  return (
    <div className={`${classes.line} ${classes.row}`} data-tab="decisions">
      <UnstyledButton
        className={classes.cover}
        data-record={record.id}
        aria-label={messages.openRecord(reasonWords(record.reason), formatHeadline(record), dateTime(record.at))}
        onClick={() => open(record.id)}
      />
      <When at={record.at} />
      <span style={{ gridArea: 'outcome' }}>
        <Chip tone={reasonTone(record)}>{messages.decisions[record.reason ?? ''] ?? reasonWords(record.reason)}</Chip>
      </span>
      <Cell area="who">{actor?.name ?? messages.somebody}</Cell>
      <Explained record={record}>
        <Cell>
          <Headline record={record} />
        </Cell>
      </Explained>
      <Cell area="which" c="dimmed" fz="sm">
        {parties.map((party, index) => (
          <Fragment key={index}>
            {index > 0 && ' · '}
            <UntrustedText text={party.name} inline />
          </Fragment>
        ))}
      </Cell>
    </div>
  );
}

const LINK = {
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  verticalAlign: 'bottom',
  textDecorationColor: 'var(--agw-line-strong)',
  textUnderlineOffset: 3,
} as const;

/** The headline of the request, as a link. */
export function Headline({ record }: { record: AuditRecord }) {
  const toRequest = useRequestLink(record);
  const text = <UntrustedText text={formatHeadline(record)} inline />;
  if (toRequest === null) return text;
  return (
    // The link is above the button that covers the row, and tall enough for a finger (WCAG 2.5.8).
    <Anchor
      component={Link}
      to={toRequest}
      inherit
      underline="always"
      c="inherit"
      fw={600}
      pos="relative"
      py={3}
      display="inline-block"
      maw="100%"
      style={LINK}
    >
      {text}
    </Anchor>
  );
}
