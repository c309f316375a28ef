import type { Service } from '#contracts';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { Icon } from '../../components/icon.js';
import { EmptyState, ErrorCard } from '../../components/notices.js';
import { Page } from '../../components/page.js';
import { PageTabs } from '../../components/page-tabs.js';
import { PageSkeleton, RowsSkeleton } from '../../components/skeletons.js';
import { failure } from '../../lib/http.js';
import { serviceUsageQuery } from '../../lib/queries.js';
import { serviceQuery } from './api.js';
import { CredentialState } from './credential-state.js';
import { CredentialsTab } from './credentials-tab.js';
import { hostOf } from './listing.js';
import { messages } from './messages.js';
import { OverviewTab } from './overview-tab.js';
import classes from './services.module.css';

const DocumentationTab = lazy(() => import('./documentation-tab.js'));
const RulesTab = lazy(() => import('./rules-tab.js'));

/** The page of one service. Each tab has its own URL. */
export function Component() {
  const { serviceId = '', tab } = useParams();
  const id = /^[1-9]\d{0,9}$/.test(serviceId) ? Number(serviceId) : 0;
  const query = useQuery({ ...serviceQuery(id), enabled: id > 0 });
  if (tab === undefined) return <Navigate to={`/services/${serviceId}/overview`} replace />;
  if (id === 0 || (query.isError && failure(query.error).status === 404)) {
    return (
      <Page title={messages.notFound}>
        <EmptyState
          icon="services"
          title={messages.notFound}
          action={
            <Button component={Link} to="/services">
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
  return <ServicePage service={query.data} tab={tab} />;
}

function ServicePage({ service, tab }: { service: Service; tab: string }) {
  const { data } = useQuery(serviceUsageQuery);
  const usage = data?.find(({ serviceId }) => serviceId === service.id);
  const base = `/services/${service.id}`;
  return (
    <Page
      title={service.name}
      above={
        <Link to="/services" className={classes.back}>
          <Icon name="back" size={16} />
          {messages.back}
        </Link>
      }
      aside={<CredentialState service={service} unauthorized={usage?.unauthorized24h ?? 0} />}
      lead={<span className="mono">{hostOf(service.baseUrl)}</span>}
    >
      <PageTabs
        label={messages.tabs.label}
        tabs={[
          { to: `${base}/overview`, label: messages.tabs.overview },
          { to: `${base}/credentials`, label: messages.tabs.credentials },
          { to: `${base}/documentation`, label: messages.tabs.documentation, count: usage?.documents },
          { to: `${base}/rules`, label: messages.tabs.rules, count: usage?.rules },
          { to: `/history?service=${service.id}`, label: messages.tabs.activity },
        ]}
      />
      <Suspense fallback={<RowsSkeleton />}>
        {tab === 'overview' && <OverviewTab service={service} usage={usage} />}
        {tab === 'credentials' && <CredentialsTab service={service} unauthorized={usage?.unauthorized24h ?? 0} />}
        {tab === 'documentation' && <DocumentationTab service={service} />}
        {tab === 'rules' && <RulesTab service={service} />}
      </Suspense>
    </Page>
  );
}
