import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { EmptyState } from '../../components/notices.js';
import { agentsQuery } from '../../lib/queries.js';
import { useReads } from '../../lib/workspace.js';
import { filterCount, NO_FILTERS, type HistoryView } from './filters.js';
import { messages } from './messages.js';

interface Props {
  view: HistoryView;
  set: (change: Record<string, string | number | null>) => void;
}

/** Shown in place of an empty list. */
export function NoRecords({ view, set }: Props) {
  const { empty } = messages;
  if (filterCount(view) > 0 || view.q !== '') {
    return (
      <EmptyState
        icon="search"
        title={empty.filtered}
        text={view.q !== '' && empty.searched}
        action={
          <Button variant="default" onClick={() => set(NO_FILTERS)}>
            {messages.filters.clear}
          </Button>
        }
      />
    );
  }
  if (view.tab !== 'requests' && view.tab !== 'charts') return <EmptyState icon="history" title={empty[view.tab]} />;
  return <NoRequests view={view} set={set} />;
}

/** Offers a longer range, or a link to the agents if there are no requests at all. */
function NoRequests({ view, set }: Props) {
  const { empty } = messages;
  const { data: agents } = useQuery(agentsQuery);
  const reads = useReads();
  const used = agents?.some(({ lastUsedAt }) => lastUsedAt !== null) ?? false;
  return (
    <EmptyState
      icon="history"
      title={empty.requests}
      text={empty.requestsText}
      action={
        used && view.range !== '30d' ? (
          <Button variant="default" onClick={() => set({ range: '30d', from: null, to: null })}>
            {empty.longer}
          </Button>
        ) : (
          reads && (
            <Button component={Link} to={agents?.length === 1 ? `/agents/${agents[0]!.id}/snippets` : '/agents'}>
              {empty.toAgents}
            </Button>
          )
        )
      }
    />
  );
}
