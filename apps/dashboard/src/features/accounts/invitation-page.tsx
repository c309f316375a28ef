import type { OpenedInvitation } from '#contracts';
import { Anchor, Button, Divider, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { AccountFrame } from '../../components/account-frame.js';
import { Callout, ErrorCard } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { expectNewcomer } from '../../components/welcome/newcomer.js';
import { failure } from '../../lib/http.js';
import { authMethodsQuery } from '../../lib/queries.js';
import { roleMessages } from '../../lib/role-messages.js';
import { useSession } from '../../lib/session.js';
import { AcceptInvitation } from './accept-invitation.js';
import { invitationQuery } from './invitation-query.js';
import { forgetToken, takeToken } from './invitation-token.js';
import { invitationMessages } from './invitation-messages.js';
import { RegisterInvited } from './register-invited.js';
import { SingleSignOn } from './single-sign-on.js';

const text = invitationMessages;
const HERE = '/invitations';

/**
 * The page that the link of an invitation opens: the person creates an account or logs in, and then joins the
 * workspace.
 */
export function Component() {
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
  return (
    <Frame>
      <Invited key={token} token={token} />
    </Frame>
  );
}

/** Says who invites to what, and what the person can do with it. */
function Invited({ token }: { token: string }) {
  const active = useSession() === 'active';
  const { data: invitation, error, isPending, refetch } = useQuery(invitationQuery(token));
  if (isPending) return <PageSkeleton />;
  if (!invitation) return <NotOpened error={error} retry={() => void refetch()} />;
  return (
    <>
      <div>
        <Text>
          {invitation.invitedBy === null ? text.somebody : <UntrustedText inline text={invitation.invitedBy} />}{' '}
          {text.invites}{' '}
          <b>
            <UntrustedText inline text={invitation.workspace} />
          </b>
          . {text.role} <b>{roleMessages.roles[invitation.role]}</b>.
        </Text>
        <Text c="dimmed" size="sm">
          {roleMessages.sentences[invitation.role]}
        </Text>
      </div>
      {active ? (
        <AcceptInvitation token={token} email={invitation.email} />
      ) : (
        <Newcomer token={token} invitation={invitation} />
      )}
    </>
  );
}

/** Only a gateway that can't be reached is worth another attempt. */
function NotOpened({ error, retry }: { error: unknown; retry: () => void }) {
  const { status } = failure(error);
  if (status !== 404 && status !== 410) return <ErrorCard error={error} retry={retry} />;
  return (
    <>
      <div role="alert">
        <Callout tone="danger">{status === 404 ? text.unknown : text.over}</Callout>
      </div>
      <Button component="a" href="/dashboard/approvals" size="md" onClick={forgetToken}>
        {text.toDashboard}
      </Button>
    </>
  );
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
function Newcomer({ token, invitation: { email } }: { token: string; invitation: OpenedInvitation }) {
  const methods = useQuery(authMethodsQuery);
  if (methods.isLoading) return <PageSkeleton />;
  const { password = true, oidc = null } = methods.data ?? {};
  return (
    <>
      {oidc && (
        // The sign-in can accept the invitation, and then goes to the inbox.
        <div onClickCapture={expectNewcomer}>
          <SingleSignOn name={oidc.name} next={HERE} alone={!password} divided={password} />
        </div>
      )}
      {password && (
        <>
          <RegisterInvited token={token} email={email} />
          <Divider label={text.or} />
        </>
      )}
      <Anchor component={Link} to={`/login?next=${encodeURIComponent(HERE)}`} state={{ email }}>
        {text.haveAccount}
      </Anchor>
    </>
  );
}
