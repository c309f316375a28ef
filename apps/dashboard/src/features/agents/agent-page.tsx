import type { Agent } from '#contracts';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from 'react-router';
import { Chip } from '../../components/chip.js';
import { Icon } from '../../components/icon.js';
import { EmptyState, ErrorCard } from '../../components/notices.js';
import { Page } from '../../components/page.js';
import { PageTabs } from '../../components/page-tabs.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { failure } from '../../lib/http.js';
import { AccessTab } from './access-tab.js';
import classes from './agents.module.css';
import { agentQuery } from './api.js';
import { CallbackTab } from './callback-tab.js';
import { messages } from './messages.js';
import { OverviewTab } from './overview-tab.js';
import { SnippetsTab } from './snippets-tab.js';

/** The page of one agent. Each tab has its own URL. */
export function Component() {
  const { agentId = '', tab } = useParams();
  const id = /^[1-9]\d{0,9}$/.test(agentId) ? Number(agentId) : 0;
  const query = useQuery({ ...agentQuery(id), enabled: id > 0 });
  if (tab === undefined) return <Navigate to={`/agents/${agentId}/overview`} replace />;
  if (id === 0 || (query.isError && failure(query.error).status === 404)) {
    return (
      <Page title={messages.notFound}>
        <EmptyState
          icon="agents"
          title={messages.notFound}
          action={
            <Button component={Link} to="/agents">
              {messages.title}
            </Button>
          }
        />
      </Page>
    );
  }
  if (query.isError && !query.data) {
    return (
      <Page title={messages.title}>
        <ErrorCard error={query.error} retry={() => void query.refetch()} />
      </Page>
    );
  }
  if (!query.data) return <PageSkeleton />;
  return <AgentPage agent={query.data} tab={tab} />;
}

function AgentPage({ agent, tab }: { agent: Agent; tab: string }) {
  const base = `/agents/${agent.id}`;
  return (
    <Page
      title={agent.name}
      above={
        <Link to="/agents" className={classes.back}>
          <Icon name="back" size={16} />
          {messages.back}
        </Link>
      }
      aside={!agent.isActive && <Chip tone="bad">{messages.revoked}</Chip>}
      lead={<span className="mono">{agent.keyPrefix}…</span>}
    >
      <PageTabs
        label={messages.tabs.label}
        tabs={[
          { to: `${base}/overview`, label: messages.tabs.overview },
          { to: `${base}/access`, label: messages.tabs.access, count: agent.services.length },
          { to: `${base}/callback`, label: messages.tabs.callback },
          { to: `${base}/snippets`, label: messages.tabs.snippets },
          { to: `/history?agent=${agent.id}`, label: messages.tabs.activity },
        ]}
      />
      {tab === 'overview' && <OverviewTab agent={agent} />}
      {tab === 'access' && <AccessTab agent={agent} />}
      {tab === 'callback' && <CallbackTab agent={agent} />}
      {tab === 'snippets' && <SnippetsTab agent={agent} />}
    </Page>
  );
}
