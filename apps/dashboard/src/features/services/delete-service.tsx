import type { Agent, Service } from '#contracts';
import { List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { DangerZone } from '../../components/danger-zone.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { deleteService } from './api.js';
import { messages } from './messages.js';

const text = messages.danger;

/** Deletes a service. It lists the agents that lose access. */
export function DeleteService({ service, users }: { service: Service; users: readonly Agent[] }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteService(service.id),
    onSuccess: async () => {
      showDone(text.done(service.name));
      queryClient.removeQueries({ queryKey: ['services', service.id] });
      await navigate('/services', { replace: true });
      void queryClient.invalidateQueries({ queryKey: ['services'] });
      void queryClient.invalidateQueries({ queryKey: ['agents'] });
    },
    onError: showFailure,
  });
  return (
    <DangerZone
      title={text.title}
      text={text.text}
      button={text.button}
      name={service.name}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {users.length === 0 ? (
        <Text>{text.nobody}</Text>
      ) : (
        <div>
          <Text>{text.loses(users.length)}</Text>
          <List>
            {users.map(({ id, name }) => (
              <List.Item key={id}>{name}</List.Item>
            ))}
          </List>
        </div>
      )}
      <Text>{text.waiting}</Text>
    </DangerZone>
  );
}
