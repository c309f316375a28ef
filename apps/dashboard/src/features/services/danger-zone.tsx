import type { Agent, Service } from '#contracts';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { ConfirmByName } from '../../components/confirm-by-name.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { deleteService } from './api.js';
import { messages } from './messages.js';
import classes from './services.module.css';

const text = messages.danger;

/** Deletes a service after the user types its name. It lists the agents that lose access. */
export function DangerZone({ service, users }: { service: Service; users: readonly Agent[] }) {
  const [open, setOpen] = useState(false);
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
        name={service.name}
        confirmLabel={text.confirm}
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setOpen(false)}
      >
        <p className={classes.removed}>{text.text}</p>
        {users.length === 0 ? (
          <p>{text.nobody}</p>
        ) : (
          <>
            <p>{text.loses(users.length)}</p>
            <ul className={classes.list}>
              {users.map(({ id, name }) => (
                <li key={id}>{name}</li>
              ))}
            </ul>
          </>
        )}
        <p>{text.waiting}</p>
      </ConfirmByName>
    </section>
  );
}
