import type { Agent } from '#contracts';
import { Text } from '@mantine/core';
import { DangerZone } from '../../components/danger-zone.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useDelete } from '../../lib/use-delete.js';
import { messages } from './messages.js';

const text = messages.danger;

/** Deletes an agent. */
export function DeleteAgent({ agent }: { agent: Agent }) {
  const remove = useDelete({
    list: 'agents',
    id: agent.id,
    done: text.done(agent.name),
    affected: queryKeys.audit.usage,
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
