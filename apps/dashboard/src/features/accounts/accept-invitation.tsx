import type { WorkspaceSummary } from '#contracts';
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { expectNewcomer } from '../../components/welcome/newcomer.js';
import { failure, post } from '../../lib/http.js';
import { meQuery } from '../../lib/queries.js';
import { logOut } from '../../lib/session.js';
import { showFailure } from '../../lib/toasts.js';
import { workspaceUrl } from '../../lib/workspace-choice.js';
import { forgetToken } from './invitation-token.js';
import { invitationMessages } from './invitation-messages.js';

const text = invitationMessages;

/** For a person who is logged in. Accepting opens the workspace. */
export function AcceptInvitation({ token, email }: { token: string; email: string }) {
  const { data: me } = useQuery(meQuery);
  const accept = useMutation({
    mutationFn: () => post<WorkspaceSummary>('/invitations/accept', { token }),
    onSuccess: ({ id }) => {
      forgetToken();
      expectNewcomer();
      location.assign(workspaceUrl(id));
    },
    // Do not keep the token in the mutation cache.
    gcTime: 0,
  });
  const status = accept.isError ? failure(accept.error).status : null;
  /** Another attempt can't help. */
  const over = status === 404 || status === 409 || status === 410;
  const other = me !== undefined && me.email.toLowerCase() !== email.toLowerCase();
  return (
    <>
      <Text c="dimmed">{text.loggedInAs(me?.email ?? '…')}</Text>
      {other && <Callout tone="danger">{text.otherEmail(me.email)}</Callout>}
      <div role="alert">{status !== null && <Problem error={accept.error} email={me?.email ?? ''} />}</div>
      {over ? (
        <Button component="a" href="/dashboard/approvals" size="md" onClick={forgetToken}>
          {text.toDashboard}
        </Button>
      ) : (
        <Stack gap="sm">
          {!other && (
            <Button size="md" loading={accept.isPending || accept.isSuccess} onClick={() => accept.mutate()}>
              {text.accept}
            </Button>
          )}
          <Anchor component="button" type="button" size="sm" py="xs" onClick={() => void logOut().catch(showFailure)}>
            {text.otherAccount}
          </Anchor>
        </Stack>
      )}
    </>
  );
}

function Problem({ error, email }: { error: unknown; email: string }) {
  const { status, message } = failure(error);
  if (status === 403) return <Callout tone="danger">{text.otherEmail(email)}</Callout>;
  if (status === 409) return <Callout tone="info">{text.member}</Callout>;
  return <Callout tone="danger">{status === 404 ? text.unknown : status === 410 ? text.over : message}</Callout>;
}
