import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../components/notices.js';
import { Page } from '../components/page.js';
import { sharedMessages } from '../lib/messages.js';
import { roleMessages } from '../lib/role-messages.js';
import { useMembers, useRole } from '../lib/workspace.js';

const text = roleMessages.workspace;

/** Shown when a link leads to a page that is not for the person's role. */
export default function NotAllowed() {
  const role = useRole();
  const { data = [] } = useMembers();
  const names = data.filter((member) => member.role === 'admin' || member.role === 'owner').map(({ name }) => name);
  return (
    <Page title={text.notAllowed}>
      <EmptyState
        icon="key"
        title={text.onlyAdmins}
        text={
          <>
            {role && text.yourRole(roleMessages.roles[role])} {names.length > 0 && text.ask(names)}
          </>
        }
        action={
          <Button component={Link} to="/approvals">
            {sharedMessages.errors.toInbox}
          </Button>
        }
      />
    </Page>
  );
}
