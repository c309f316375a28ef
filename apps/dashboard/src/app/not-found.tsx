import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../components/notices.js';
import { Page } from '../components/page.js';
import { messages } from '../lib/messages.js';

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
