import type { AuditRecord } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { firstRequestQuery } from '../../lib/queries.js';
import { Icon } from '../Icon.js';
import { UntrustedText } from '../UntrustedText.js';
import classes from './connect.module.css';
import { messages } from './messages.js';

const POLL_MS = 2000;
const HINT_MS = 30_000;

interface Props {
  agentId: number;
  /** Requests before this moment don't count: they carried another key. */
  since: string;
}

/** Turns green by itself when the agent's first request arrives, and leads to it. */
export function FirstRequest({ agentId, since }: Props) {
  const [late, setLate] = useState(false);
  const { data } = useQuery({
    ...firstRequestQuery(agentId),
    staleTime: 0,
    refetchInterval: ({ state }) => (arrived(state.data?.items[0], since) ? false : POLL_MS),
  });
  const record = arrived(data?.items[0], since);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), HINT_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={classes.first} data-arrived={record !== null || undefined} role="status">
      {record === null ? (
        <>
          <span className={classes.pulse} aria-hidden="true" />
          <span>
            {messages.first.waiting}
            {late && <span className={classes.firstHint}>{messages.first.hint}</span>}
          </span>
        </>
      ) : (
        <>
          <Icon name="check" size={18} />
          <span>
            <UntrustedText text={messages.first.arrived(`${record.method ?? ''} ${pathOf(record.url)}`)} inline />{' '}
            {record.actionId && record.outcome === 'held' ? (
              <Link to={`/approvals/${record.actionId}`}>{messages.first.held}</Link>
            ) : (
              <Link to={`/history?id=${record.id}`}>{messages.first.see}</Link>
            )}
          </span>
        </>
      )}
    </div>
  );
}

const arrived = (record: AuditRecord | undefined, since: string): AuditRecord | null =>
  record && record.at >= since ? record : null;

const pathOf = (url: string | null): string => (url && URL.canParse(url) ? new URL(url).pathname : '');
