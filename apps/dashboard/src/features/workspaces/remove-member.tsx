import type { Member, MessageResponse, WorkspaceSummary } from '#contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { del } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { forgetWorkspace } from '../../lib/workspace-choice.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { messages } from './messages.js';

interface Props {
  member: Member;
  workspace: WorkspaceSummary;
  /** Whether the person removes themselves. */
  self: boolean;
  close: () => void;
}

export function RemoveMember({ member, workspace, self, close }: Props) {
  const text = self ? messages.leave : messages.removeMember;
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => del<MessageResponse>(`/workspaces/${workspace.id}/members/${member.id}`),
    onSuccess: () => {
      if (self) {
        forgetWorkspace();
        location.assign('/dashboard/approvals');
        return;
      }
      showDone(messages.removeMember.done(member.name));
      close();
    },
    onSettled: () => (self ? undefined : queryClient.invalidateQueries({ queryKey: queryKeys.members.all })),
  });
  return (
    <ConfirmDialog
      title={text.title(self ? workspace.name : member.name)}
      label={text.submit}
      danger
      change={remove}
      close={close}
    >
      <Text>{text.what}</Text>
    </ConfirmDialog>
  );
}
