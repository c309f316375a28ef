import { Button } from '@mantine/core';
import { Link, useRouteError } from 'react-router';
import { EmptyState, ErrorCard } from '../components/Notices.js';
import { Page } from '../components/Page.js';
import { messages } from '../lib/messages.js';

/** What is shown in the place of a page that threw, or whose code could not be fetched. */
export function RouteFailure() {
  const error = useRouteError();
  return <ErrorCard error={error} title={messages.errors.crashed} retry={() => location.reload()} />;
}

export function NotFound() {
  return (
    <Page title={messages.errors.notFound}>
      <EmptyState
        icon="search"
        title={messages.errors.notFoundText}
        action={
          <Button component={Link} to="/approvals">
            {messages.errors.toInbox}
          </Button>
        }
      />
    </Page>
  );
}
