import type { Service } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { DetailPage, LoadedDetail } from '../../components/detail-page.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { serviceUsageQuery } from '../../lib/queries.js';
import { serviceQuery } from './api.js';
import { ConnectionOutcome } from './connection-outcome.js';
import { CredentialState } from './credential-state.js';
import { CredentialsTab } from './credentials-tab.js';
import { withoutScheme } from './listing.js';
import { messages } from './messages.js';
import { PausedService } from './pause-service.js';
import { OverviewTab } from './overview-tab.js';
import { RejectionNotice } from './rejection-notice.js';
import { UnconfirmedHosts } from './unconfirmed-hosts.js';

const DocumentationTab = lazy(() => import('./documentation-tab.js'));
const RulesTab = lazy(() => import('./rules-tab.js'));

const LIST = { to: '/services', title: messages.title, icon: 'services' } as const;

/** The page of one service. Each tab has its own URL. */
export function Component() {
  const { serviceId, tab } = useParams();
  return (
    <LoadedDetail list={LIST} notFound={messages.notFound} id={serviceId} tab={tab} query={serviceQuery}>
      {(service, shown) => <ServicePage service={service} tab={shown} />}
    </LoadedDetail>
  );
}

function ServicePage({ service, tab }: { service: Service; tab: string }) {
  const { data } = useQuery(serviceUsageQuery);
  const usage = data?.find(({ serviceId }) => serviceId === service.id);
  const base = `/services/${service.id}`;
  return (
    <DetailPage
      list={LIST}
      title={service.name}
      state={<CredentialState service={service} usage={usage} named />}
      identity={withoutScheme(service.baseUrl)}
      tabs={{
        label: messages.tabs.label,
        items: [
          { to: `${base}/overview`, label: messages.tabs.overview },
          { to: `${base}/credentials`, label: messages.tabs.credentials },
          { to: `${base}/documentation`, label: messages.tabs.documentation, count: usage?.documents },
          { to: `${base}/rules`, label: messages.tabs.rules, count: usage?.rules },
        ],
      }}
      activity={`/history?service=${service.id}`}
    >
      <PausedService service={service} />
      <ConnectionOutcome service={service} />
      <UnconfirmedHosts service={service} />
      <RejectionNotice service={service} usage={usage} />
      <Suspense fallback={<RowsSkeleton />}>
        {tab === 'overview' && <OverviewTab service={service} usage={usage} />}
        {tab === 'credentials' && <CredentialsTab service={service} usage={usage} />}
        {tab === 'documentation' && <DocumentationTab service={service} />}
        {tab === 'rules' && <RulesTab service={service} />}
      </Suspense>
    </DetailPage>
  );
}
