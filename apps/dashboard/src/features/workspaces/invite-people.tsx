import type { CreatedInvitation, Role, WorkspaceSummary } from '#contracts';
import { ROLES } from '#contracts/states';
import { NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFoot } from '../../components/form-foot.js';
import { failure, post } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { roleMessages } from '../../lib/role-messages.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { emailsIn, isEmail } from './emails.js';
import { InvitationLinks, type Outcome } from './invitation-links.js';
import { messages } from './messages.js';

const text = messages.invitations;

/** Invites several people with one role. A fault in one address does not stop the others. */
export function InvitePeople({ workspace }: { workspace: WorkspaceSummary }) {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState('');
  const [role, setRole] = useState<Role>('approver');
  const [latest, setLatest] = useState<{ email: string } | null>(null);
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  const emails = emailsIn(typed);
  useUnsaved(typed !== '');
  const wrong = emails.filter((email) => !isEmail(email));
  const invite = useMutation({
    mutationFn: async () => {
      for (const email of emails) {
        let result: Outcome['result'];
        try {
          result = await post<CreatedInvitation>(`/workspaces/${workspace.id}/invitations`, { email, role });
        } catch (error) {
          result = { fault: failure(error).message };
        }
        setOutcomes((before) => [...before.filter((each) => each.email !== email), { email, role, result }]);
      }
    },
    onSuccess: () => {
      setTyped('');
      setLatest({ email: emails[0]! });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.invitations.all }),
    // Do not keep the links in the mutation cache.
    gcTime: 0,
  });
  const why = emails.length === 0 ? text.why : wrong.length > 0 ? text.wrong(wrong[0]!) : null;
  return (
    <Stack gap="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (why === null && !invite.isPending) invite.mutate();
        }}
      >
        <Stack>
          <Textarea
            label={text.emails}
            description={text.emailsHint}
            autosize
            minRows={1}
            maxRows={8}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <NativeSelect
            label={text.role}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
            data={ROLES.map((each) => ({ value: each, label: roleMessages.roles[each] }))}
          />
          <Text c="dimmed" size="sm">
            {roleMessages.sentences[role]}
          </Text>
          <FormFoot label={text.submit(emails.length)} why={why} save={invite} />
        </Stack>
      </form>
      {outcomes.length > 0 && <InvitationLinks outcomes={outcomes} latest={latest} done={() => setOutcomes([])} />}
    </Stack>
  );
}
