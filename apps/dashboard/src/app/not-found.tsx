import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../components/notices.js';
import { Page } from '../components/page.js';
import { sharedMessages } from '../lib/messages.js';

export function NotFound() {
  return (
    <Page title={sharedMessages.errors.notFound}>
      <EmptyState
        icon="search"
        title={sharedMessages.errors.notFoundText}
        action={
          <Button component={Link} to="/approvals">
            {sharedMessages.errors.toInbox}
          </Button>
        }
      />
    </Page>
  );
}
