import type { Agent } from '#contracts';
import { AGENT_NAME_MAX, AGENT_NAME_MIN } from '#contracts/limits';
import { Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFoot } from '../../components/form-foot.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { updateAgent } from './api.js';
import { messages } from './messages.js';

const text = messages.overview;

/** Edits the name of an agent. */
export function RenameAgent({ agent, close }: { agent: Agent; close: () => void }) {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState(agent.name);
  const name = typed.trim();
  useUnsaved(name !== agent.name);
  const save = useMutation({
    mutationFn: () => updateAgent(agent.id, { name }),
    onSuccess: () => {
      showDone(text.saved);
      close();
      return queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
    },
  });
  const why =
    name === agent.name
      ? whyMessages.unchanged
      : name.length < AGENT_NAME_MIN
        ? whyMessages.name(AGENT_NAME_MIN)
        : null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) save.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={text.name}
          maxLength={AGENT_NAME_MAX}
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <FormFoot label={text.save} why={why} save={save} cancel={close} />
      </Stack>
    </form>
  );
}
