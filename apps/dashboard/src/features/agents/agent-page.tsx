import type { Agent } from '#contracts';
import { useParams } from 'react-router';
import { DetailPage, LoadedDetail } from '../../components/detail-page.js';
import { AccessTab } from './access-tab.js';
import { AgentState } from './agent-state.js';
import { agentQuery } from './api.js';
import { CallbackTab } from './callback-tab.js';
import { messages } from './messages.js';
import { OverviewTab } from './overview-tab.js';
import { SnippetsTab } from './snippets-tab.js';

const LIST = { to: '/agents', title: messages.title, icon: 'agents' } as const;

/** The page of one agent. Each tab has its own URL. */
export function Component() {
  const { agentId, tab } = useParams();
  return (
    <LoadedDetail list={LIST} notFound={messages.notFound} id={agentId} tab={tab} query={agentQuery}>
      {(agent, shown) => <AgentPage agent={agent} tab={shown} />}
    </LoadedDetail>
  );
}

function AgentPage({ agent, tab }: { agent: Agent; tab: string }) {
  const base = `/agents/${agent.id}`;
  return (
    <DetailPage
      list={LIST}
      title={agent.name}
      state={<AgentState agent={agent} />}
      identity={`${agent.keyPrefix}…`}
      tabs={{
        label: messages.tabs.label,
        items: [
          { to: `${base}/overview`, label: messages.tabs.overview },
          { to: `${base}/access`, label: messages.tabs.access, count: agent.services.length },
          { to: `${base}/callback`, label: messages.tabs.callback },
          { to: `${base}/snippets`, label: messages.tabs.snippets },
        ],
      }}
      activity={`/history?agent=${agent.id}`}
    >
      {tab === 'overview' && <OverviewTab agent={agent} />}
      {tab === 'access' && <AccessTab agent={agent} />}
      {tab === 'callback' && <CallbackTab agent={agent} />}
      {tab === 'snippets' && <SnippetsTab agent={agent} />}
    </DetailPage>
  );
}
