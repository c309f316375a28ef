import type { Agent } from '#contracts';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { ConfirmByName } from '../../components/confirm-by-name.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import classes from './agents.module.css';
import { deleteAgent } from './api.js';
import { messages } from './messages.js';

const text = messages.danger;

/** Deletes an agent after the user types its name. */
export function DangerZone({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState(false);
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
    <section className={classes.danger} aria-labelledby="danger">
      <h2 id="danger" className={classes.heading}>
        {text.title}
      </h2>
      <p className={classes.dim}>{text.text}</p>
      <Button variant="default" className={classes.dangerButton} onClick={() => setOpen(true)}>
        {text.button}
      </Button>
      <ConfirmByName
        opened={open}
        title={text.button}
        name={agent.name}
        confirmLabel={text.button}
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setOpen(false)}
      >
        <p>{text.text}</p>
        <p>{text.waiting}</p>
      </ConfirmByName>
    </section>
  );
}
