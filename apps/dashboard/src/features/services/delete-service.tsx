import type { Agent, Service } from '#contracts';
import { List, Text } from '@mantine/core';
import { DangerZone } from '../../components/danger-zone.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useDelete } from '../../lib/use-delete.js';
import { messages } from './messages.js';

const text = messages.danger;

/** Deletes a service. It names the OAuth connection and the agents that lose access. */
export function DeleteService({ service, users }: { service: Service; users: readonly Agent[] }) {
  const connectedBy = service.connection?.connectedBy;
  const remove = useDelete({
    list: 'services',
    id: service.id,
    done: text.done(service.name),
    affected: queryKeys.agents.all,
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
      {connectedBy && <Text>{text.connection(connectedBy.name)}</Text>}
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
