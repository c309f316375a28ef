import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { EmptyState } from '../../components/notices.js';
import { agentsQuery } from '../../lib/queries.js';
import { useMay } from '../../lib/workspace.js';
import { todayQuery } from './today-query.js';
import { filterCount, isWaiting, type InboxView } from './filters.js';
import { messages } from './messages.js';
import { nothingMessages } from './nothing-messages.js';

/** Says that the list is empty, and what to do then. */
export default function Nothing({ view, clearFilters }: { view: InboxView; clearFilters: () => void }) {
  const filtered = filterCount(view) > 0 || view.q !== '';
  const { data: today } = useQuery({ ...todayQuery(), enabled: isWaiting(view.tab) && !filtered });
  const mayCreate = useMay('admin');
  const { data: agents } = useQuery({ ...agentsQuery, enabled: mayCreate && today?.requests === 0 });
  if (filtered) {
    return (
      <EmptyState
        icon="search"
        title={nothingMessages.filtered}
        text={view.q !== '' && nothingMessages.searched}
        action={
          <Button variant="default" onClick={clearFilters}>
            {messages.filters.clear}
          </Button>
        }
      />
    );
  }
  const starts = view.tab === 'waiting' || view.tab === 'all';
  if (starts && agents?.length === 0) {
    return (
      <EmptyState
        icon="agents"
        title={nothingMessages.waiting}
        text={nothingMessages.noAgent}
        action={
          <Button component={Link} to="/setup">
            {nothingMessages.toSetup}
          </Button>
        }
      />
    );
  }
  if (starts) {
    return (
      <EmptyState
        title={nothingMessages.waiting}
        text={today && nothingMessages.today(today.requests, today.held)}
        action={
          <Button component={Link} to="/history" variant="default">
            {nothingMessages.history}
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      icon="approvals"
      title={nothingMessages[view.tab as 'others' | 'approved' | 'mine']}
      text={view.tab === 'approved' ? nothingMessages.approvedText : undefined}
      action={
        <Button component={Link} to="/approvals" variant="default">
          {nothingMessages.toWaiting}
        </Button>
      }
    />
  );
}
