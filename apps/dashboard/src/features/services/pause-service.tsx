import type { Service } from '#contracts';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Section } from '../../components/page.js';
import { Callout } from '../../components/notices.js';
import { pauseMessages } from '../../components/pause/messages.js';
import { PauseDialog } from '../../components/pause/pause-dialog.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { updateService } from './api.js';

const text = pauseMessages.service;

/** Pauses a service that runs. */
export function PauseService({ service: { id, name, isPaused } }: { service: Service }) {
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const pause = useMutation({
    mutationFn: (reason: string) =>
      updateService(id, reason === '' ? { isPaused: true } : { isPaused: true, pausedReason: reason }),
    onSuccess: () => setAsking(false),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.services.all }),
  });
  if (!useMay('admin') || isPaused) return null;
  return (
    <Section title={text.title}>
      <Stack align="start">
        <Text c="dimmed" size="sm">
          {text.lead}
        </Text>
        <Button variant="default" onClick={() => setAsking(true)}>
          {text.pause}
        </Button>
      </Stack>
      {asking && (
        <PauseDialog
          title={text.heading(name)}
          lead={text.lead}
          optional={text.optional}
          save={pause}
          onPause={pause.mutate}
          close={() => setAsking(false)}
        />
      )}
    </Section>
  );
}

/** Shows that the service is paused, the reason and the person, with the button that ends the pause. */
export function PausedService({ service }: { service: Service }) {
  const { id, name, isPaused, pausedReason, pausedAt, pausedBy } = service;
  const queryClient = useQueryClient();
  const may = useMay('admin');
  const since = useNow((now) => (pausedAt === null ? '' : ago(pausedAt, now)));
  const resume = useMutation({
    mutationFn: () => updateService(id, { isPaused: false }),
    onSuccess: ({ refusedRequests = 0 }) => showDone(pauseMessages.resumed(name, refusedRequests)),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.services.all }),
  });
  if (!isPaused) return null;
  return (
    <div role="status">
      <Callout tone="danger">
        <Stack gap="sm" align="start">
          <span>
            <b>
              {pauseMessages.by(pausedBy?.name ?? '', since)}
              {pausedReason === null ? '.' : ':'}
            </b>{' '}
            {pausedReason !== null && `${pausedReason}. `}
            {text.refused}
          </span>
          {may && (
            <Button size="xs" color="danger" loading={resume.isPending} onClick={() => resume.mutate()}>
              {pauseMessages.resume}
            </Button>
          )}
        </Stack>
      </Callout>
    </div>
  );
}
