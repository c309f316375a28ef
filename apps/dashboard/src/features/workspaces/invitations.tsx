import type { Invitation, MessageResponse, WorkspaceSummary } from '#contracts';
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { DataTable, type Column } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { Card, Section } from '../../components/page.js';
import { Countdown } from '../../components/time.js';
import { del } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { roleMessages } from '../../lib/role-messages.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { invitationsQuery } from './api.js';
import { InvitePeople } from './invite-people.js';
import { messages } from './messages.js';

const text = messages.invitations;

/** Invites people, and lists the invitations that nobody has accepted yet. */
export function Invitations({ workspace }: { workspace: WorkspaceSummary }) {
  const queryClient = useQueryClient();
  const query = useQuery(invitationsQuery(workspace.id));
  const revoke = useMutation({
    mutationFn: ({ id }: Invitation) => del<MessageResponse>(`/workspaces/${workspace.id}/invitations/${id}`),
    onSuccess: (_, { email }) => showDone(text.revoked(email)),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.invitations.all }),
  });
  const columns: Column<Invitation>[] = [
    { key: 'email', label: text.email, phone: 'title', cell: ({ email }) => <b translate="no">{email}</b> },
    { key: 'role', label: text.role, whole: true, cell: ({ role }) => roleMessages.roles[role] },
    { key: 'by', label: text.by, cell: ({ invitedBy }) => invitedBy?.name },
    { key: 'mail', label: text.mail, width: '110px', cell: ({ mail }) => mailWords(mail) },
    { key: 'ends', label: text.ends, whole: true, cell: ({ expiresAt }) => <Countdown until={expiresAt} /> },
    {
      key: 'revoke',
      label: text.revoke,
      phone: 'bare',
      align: 'end',
      cell: (invitation) => (
        <Button
          size="xs"
          variant="default"
          aria-label={text.revokeIt(invitation.email)}
          loading={revoke.isPending && revoke.variables.id === invitation.id}
          onClick={() => revoke.mutate(invitation)}
        >
          {text.revoke}
        </Button>
      ),
    },
  ];
  return (
    <>
      <Section title={text.title}>
        <div data-invite>
          <Card>
            <InvitePeople workspace={workspace} />
          </Card>
        </div>
      </Section>
      <Section title={text.open}>
        <Loaded query={query}>
          {(invitations) =>
            invitations.length === 0 ? (
              <Text c="dimmed">{text.none}</Text>
            ) : (
              <Card padded={false}>
                <DataTable caption={text.open} columns={columns} rows={invitations} rowKey={({ id }) => id} />
              </Card>
            )
          }
        </Loaded>
      </Section>
    </>
  );
}

function mailWords(mail: Invitation['mail']): string {
  if (mail === null) return text.noMail;
  const state = text.mails[mail.state];
  return mail.lastError === null || mail.state === 'delivered' ? state : text.mailFault(state, mail.lastError);
}
