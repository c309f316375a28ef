import type { Member, MessageResponse, WorkspaceSummary } from '#contracts';
import { List, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.js';
import { Callout } from '../../components/notices.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { del } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { forgetWorkspace } from '../../lib/workspace-choice.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { messages } from './messages.js';
import { neededByQuery } from './needed-by.js';

const SHOWN_MAX = 5;

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
      <NeededBy member={member} />
    </ConfirmDialog>
  );
}

/** The rules and the waiting requests that need the person. */
function NeededBy({ member }: { member: Member }) {
  const query = useQuery(neededByQuery(member.id));
  const text = messages.removeMember;
  return (
    <Loaded query={query} skeleton={<Text c="dimmed">{text.looking}</Text>}>
      {({ rules, requests }) =>
        rules.length + requests.length === 0 ? (
          <Text c="dimmed">{text.needless}</Text>
        ) : (
          <Callout tone="warning">
            {rules.length > 0 && <div>{text.rules(rules.length)}</div>}
            <List withPadding listStyleType="disc">
              {rules.slice(0, SHOWN_MAX).map(({ service, rule }) => (
                <List.Item key={rule.id}>
                  {service.name}: {rule.name}
                </List.Item>
              ))}
              {rules.length > SHOWN_MAX && <List.Item>{text.more(rules.length - SHOWN_MAX)}</List.Item>}
            </List>
            {requests.length > 0 && <div>{text.requests(requests.length)}</div>}
            <List withPadding listStyleType="disc">
              {requests.slice(0, SHOWN_MAX).map(({ action_id, headline }) => (
                <List.Item key={action_id}>
                  <UntrustedText text={headline} inline />
                </List.Item>
              ))}
              {requests.length > SHOWN_MAX && <List.Item>{text.more(requests.length - SHOWN_MAX)}</List.Item>}
            </List>
          </Callout>
        )
      }
    </Loaded>
  );
}
