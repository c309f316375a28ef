import type { MessageResponse, Workspace } from '#contracts';
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { DangerZone } from '../../components/danger-zone.js';
import { FormError } from '../../components/form-foot.js';
import { del } from '../../lib/http.js';
import { forgetWorkspace } from '../../lib/workspace-choice.js';
import { messages } from './messages.js';

const text = messages.remove;

/** Deletes the workspace. One with services or agents is not deleted, and the error says so. */
export function DeleteWorkspace({ workspace }: { workspace: Workspace }) {
  const remove = useMutation({
    mutationFn: () => del<MessageResponse>(`/workspaces/${workspace.id}`),
    onSuccess: () => {
      forgetWorkspace();
      location.assign('/dashboard/approvals');
    },
  });
  return (
    <DangerZone
      title={text.title}
      text={text.what}
      button={text.button}
      name={workspace.name}
      busy={remove.isPending || remove.isSuccess}
      onConfirm={() => remove.mutate()}
    >
      <Text>{text.history}</Text>
      <FormError error={remove.error} />
    </DangerZone>
  );
}
