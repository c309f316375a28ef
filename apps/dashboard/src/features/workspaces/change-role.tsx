import type { Member, Role, WorkspaceSummary } from '#contracts';
import { List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { put } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { roleMessages } from '../../lib/role-messages.js';
import { showDone } from '../../lib/toasts.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { messages } from './messages.js';
import { powersBetween } from './powers.js';

const text = messages.changeRole;

interface Props {
  member: Member;
  role: Role;
  workspace: WorkspaceSummary;
  close: () => void;
}

/** Shows the rights that the person gains and loses, and changes the role. */
export function ChangeRole({ member, role, workspace, close }: Props) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: () => put<Member>(`/workspaces/${workspace.id}/members/${member.id}`, { role }),
    onSuccess: () => {
      showDone(text.done(member.name, roleMessages.roles[role]));
      close();
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.members.all });
      void queryClient.invalidateQueries({ queryKey: queryKeys.workspaces.all });
    },
  });
  const { gains, loses } = powersBetween(member.role, role);
  return (
    <ConfirmDialog
      title={text.title(member.name, roleMessages.roles[role])}
      label={text.submit(roleMessages.roles[role])}
      danger={loses.length > 0}
      change={change}
      close={close}
    >
      <Powers title={text.gains(member.name)} powers={gains} />
      <Powers title={text.loses(member.name)} powers={loses} />
      <Text c="dimmed" size="sm">
        {text.when}
      </Text>
    </ConfirmDialog>
  );
}

function Powers({ title, powers }: { title: string; powers: readonly string[] }) {
  if (powers.length === 0) return null;
  return (
    <div>
      <Text>{title}</Text>
      <List withPadding>
        {powers.map((power) => (
          <List.Item key={power}>{power}</List.Item>
        ))}
      </List>
    </div>
  );
}
