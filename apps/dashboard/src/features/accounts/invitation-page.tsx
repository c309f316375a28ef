import { Anchor, Divider, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { AccountFrame } from '../../components/account-frame.js';
import { Callout } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { authMethodsQuery } from '../../lib/queries.js';
import { useSession } from '../../lib/session.js';
import { AcceptInvitation } from './accept-invitation.js';
import { takeToken } from './invitation-token.js';
import { messages } from './messages.js';
import { RegisterInvited } from './register-invited.js';
import { SingleSignOn } from './single-sign-on.js';

const text = messages.invitation;
const HERE = '/invitations';

/**
 * The page that the link of an invitation opens: the person creates an account or logs in, and then joins the
 * workspace.
 */
export function Component() {
  const active = useSession() === 'active';
  const { hash } = useLocation();
  // The user may open another invitation in the same tab.
  const token = useMemo(() => takeToken(hash), [hash]);
  useEffect(() => {
    document.title = text.title;
  }, []);
  if (token === null) {
    return (
      <Frame>
        <Callout tone="warning">{text.noToken}</Callout>
        <Anchor component={Link} to="/approvals">
          {text.toDashboard}
        </Anchor>
      </Frame>
    );
  }
  return <Frame>{active ? <AcceptInvitation token={token} /> : <Newcomer token={token} />}</Frame>;
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <AccountFrame>
      <Card>
        <Stack gap="lg">
          <Title order={1}>{text.title}</Title>
          {children}
        </Stack>
      </Card>
    </AccountFrame>
  );
}

/** For a person who is not logged in. */
function Newcomer({ token }: { token: string }) {
  const methods = useQuery(authMethodsQuery);
  if (methods.isLoading) return <PageSkeleton />;
  const { password = true, oidc = null } = methods.data ?? {};
  return (
    <>
      <Text c="dimmed">{text.lead}</Text>
      {oidc && <SingleSignOn name={oidc.name} next={HERE} alone={!password} divided={password} />}
      {password && (
        <>
          <RegisterInvited token={token} />
          <Divider label={text.or} />
        </>
      )}
      <Anchor component={Link} to={`/login?next=${encodeURIComponent(HERE)}`}>
        {text.haveAccount}
      </Anchor>
    </>
  );
}
