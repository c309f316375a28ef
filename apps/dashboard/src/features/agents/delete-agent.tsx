import type { Agent } from '#contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { DangerZone } from '../../components/danger-zone.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { deleteAgent } from './api.js';
import { messages } from './messages.js';

const text = messages.danger;

/** Deletes an agent. */
export function DeleteAgent({ agent }: { agent: Agent }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteAgent(agent.id),
    onSuccess: async () => {
      showDone(text.done(agent.name));
      await navigate('/agents', { replace: true });
      queryClient.removeQueries({ queryKey: ['agents', agent.id] });
      void queryClient.invalidateQueries({ queryKey: ['agents'] });
      void queryClient.invalidateQueries({ queryKey: ['audit', 'usage'] });
    },
    onError: showFailure,
  });
  return (
    <DangerZone
      title={text.title}
      text={text.text}
      button={text.button}
      name={agent.name}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <Text>{text.waiting}</Text>
    </DangerZone>
  );
}
