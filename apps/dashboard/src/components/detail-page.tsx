import { Anchor, Button } from '@mantine/core';
import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import { failure } from '../lib/http.js';
import { sharedMessages } from '../lib/messages.js';
import { Icon, type IconName } from './icon.js';
import { EmptyState, ErrorCard } from './notices.js';
import { Page } from './page.js';
import { PageTabs } from './page-tabs.js';
import { PageSkeleton } from './skeletons.js';

interface LoadProps<T, K extends readonly unknown[]> {
  /** The list that the thing belongs to. */
  list: { to: string; title: string; icon: IconName };
  notFound: string;
  /** From the URL. */
  id: string | undefined;
  tab: string | undefined;
  query: (id: number) => UseQueryOptions<T, Error, T, K>;
  children: (data: T, tab: string) => ReactNode;
}

/** Loads the thing that the URL `<list>/:id/:tab` names. */
export function LoadedDetail<T, K extends readonly unknown[]>(props: LoadProps<T, K>) {
  const { list, notFound, tab, query, children } = props;
  const { search } = useLocation();
  const id = /^[1-9]\d{0,9}$/.test(props.id ?? '') ? Number(props.id) : 0;
  const { data, error, refetch } = useQuery({ ...query(id), enabled: id > 0 });
  if (tab === undefined) return <Navigate to={`${list.to}/${props.id}/overview${search}`} replace />;
  if (id === 0 || (error && failure(error).status === 404)) {
    return (
      <Page title={notFound}>
        <EmptyState
          icon={list.icon}
          title={notFound}
          action={
            <Button component={Link} to={list.to}>
              {list.title}
            </Button>
          }
        />
      </Page>
    );
  }
  if (data !== undefined) return children(data, tab);
  if (!error) return <PageSkeleton />;
  return (
    <Page title={list.title}>
      <ErrorCard error={error} retry={() => void refetch()} />
    </Page>
  );
}

interface FrameProps {
  list: { to: string; title: string };
  title: string;
  /** The state, beside the title. */
  state: ReactNode;
  /** Text that identifies the thing, under the title. */
  identity: string;
  tabs: { label: string; items: readonly { to: string; label: string; count?: number }[] };
  /** The history of the thing. It is the last tab. */
  activity: string;
  children: ReactNode;
}

/** The page of one thing: a link back to the list, its title and its tabs. */
export function DetailPage({ list, title, state, identity, tabs, activity, children }: FrameProps) {
  return (
    <Page
      title={title}
      named
      above={
        <Anchor
          component={Link}
          to={list.to}
          c="dimmed"
          size="sm"
          display="inline-flex"
          style={{ gap: 4, alignItems: 'center' }}
        >
          <Icon name="back" size={16} />
          {list.title}
        </Anchor>
      }
      aside={state}
      lead={
        <span className="mono" translate="no">
          {identity}
        </span>
      }
    >
      <PageTabs label={tabs.label} tabs={[...tabs.items, { to: activity, label: sharedMessages.activity }]} />
      {children}
    </Page>
  );
}
