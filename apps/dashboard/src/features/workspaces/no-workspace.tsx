import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/notices.js';
import { Page } from '../../components/page.js';
import { identitiesQuery } from '../../lib/identities.js';
import { authMethodsQuery } from '../../lib/queries.js';
import { expectSession } from '../../lib/session.js';
import { CreateWorkspace } from './create-workspace.js';
import { messages } from './messages.js';

const text = messages.none;
const AGAIN = `/auth/oidc/start?${new URLSearchParams({ returnTo: '/dashboard/approvals' }).toString()}`;

/**
 * For a person who lost the last workspace. Roles that come from groups at the OpenID provider end at a sign-in without
 * the group.
 */
export default function NoWorkspace() {
  const provider = useQuery(authMethodsQuery).data?.oidc?.name;
  const { data: identities = [] } = useQuery({ ...identitiesQuery, enabled: provider !== undefined });
  const byGroups = provider !== undefined && identities.length > 0;
  return (
    <Page title={text.title}>
      <EmptyState
        icon="agents"
        title={text.lead}
        text={byGroups ? text.askWithGroups(provider) : text.ask}
        action={
          <>
            {byGroups && (
              <Button component="a" href={AGAIN} onClick={expectSession}>
                {text.again(provider)}
              </Button>
            )}
            <CreateWorkspace />
          </>
        }
      />
    </Page>
  );
}
