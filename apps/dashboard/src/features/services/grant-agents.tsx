import type { Agent, Service } from '#contracts';
import { Button, Checkbox, ScrollArea, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { failure } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { grantService } from './api.js';
import { messages } from './messages.js';

interface Props {
  service: Service;
  agents: readonly Agent[];
}

const text = messages.create;

/** Gives agents access to a service that was just added. Those that have it are ticked, and stay so. */
export function GrantAgents({ service, agents }: Props) {
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<string[]>([]);
  const have = agents
    .filter(({ services }) => services.some(({ id }) => id === service.id))
    .map(({ id }) => String(id));
  const wanted = agents.filter(({ id }) => chosen.includes(String(id)));
  const grant = useMutation({
    mutationFn: async () => {
      const done: string[] = [];
      for (const agent of wanted) {
        try {
          await grantService(agent.id, service.id);
          done.push(agent.name);
        } catch (error) {
          showFailure(new Error(text.notGranted(agent.name, failure(error).message)));
        }
      }
      return done;
    },
    onSuccess: (done) => {
      setChosen([]);
      if (done.length > 0) showDone(text.granted(done.length, service.name));
      return queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted.length > 0) grant.mutate();
      }}
    >
      <Stack>
        <Checkbox.Group
          label={text.chooseAgents}
          value={[...have, ...chosen]}
          onChange={(ids) => setChosen(ids.filter((id) => !have.includes(id)))}
        >
          <ScrollArea.Autosize mah={300} mt={6}>
            <Stack gap={8}>
              {agents.map(({ id, name }) => (
                <Checkbox
                  key={id}
                  value={String(id)}
                  label={name}
                  disabled={grant.isPending || have.includes(String(id))}
                />
              ))}
            </Stack>
          </ScrollArea.Autosize>
        </Checkbox.Group>
        <Button type="submit" w="fit-content" disabled={wanted.length === 0} loading={grant.isPending}>
          {text.giveAccess(wanted.length)}
        </Button>
      </Stack>
    </form>
  );
}
