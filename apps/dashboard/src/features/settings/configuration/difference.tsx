import type { ImportResult } from '#contracts';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.js';
import { FormError } from '../../../components/form-foot.js';
import { Callout } from '../../../components/notices.js';
import { Card } from '../../../components/page.js';
import { failure } from '../../../lib/http.js';
import { showDone } from '../../../lib/toasts.js';
import { importFile } from './api.js';
import { Changes } from './changes.js';
import { messages } from './messages.js';

const text = messages.difference;

interface Props {
  workspaceId: number;
  content: string;
  /** What the dry run found. */
  found: ImportResult;
  onDone: (result: ImportResult) => void;
}

/** What the file would change, and the button that imports it. What takes something away is asked for once more. */
export function Difference({ workspaceId, content, found, onDone }: Props) {
  const queryClient = useQueryClient();
  const [shown, setShown] = useState(found);
  const [asking, setAsking] = useState(false);
  const apply = useMutation({
    mutationFn: async () => {
      try {
        return await importFile(workspaceId, content, { digest: shown.digest });
      } catch (error) {
        if (failure(error).status !== 409) throw error;
        setShown(await importFile(workspaceId, content, { dryRun: true }));
        throw new Error(text.moved, { cause: error });
      }
    },
    onSuccess: (result) => {
      showDone(messages.apply.done);
      onDone(result);
      return queryClient.invalidateQueries();
    },
    // The error is on the page, with the new difference.
    onError: () => setAsking(false),
  });
  const { created, changed, deleted } = shown;
  if (created.length + changed.length + deleted.length === 0) return <Callout tone="success">{text.none}</Callout>;
  const takesAway = deleted.length > 0 || changed.some(({ loses }) => loses !== undefined);
  return (
    <Card>
      <Stack role="group" aria-label={text.title}>
        <Title order={2} size="h3">
          {text.title}
        </Title>
        <Changes result={shown} />
        <FormError error={apply.error} />
        <Group>
          <Button
            color={takesAway ? 'danger' : undefined}
            loading={apply.isPending}
            onClick={() => (takesAway ? setAsking(true) : apply.mutate())}
          >
            {takesAway ? messages.apply.dangerous : messages.apply.button}
          </Button>
        </Group>
      </Stack>
      {asking && (
        <ConfirmDialog
          title={messages.apply.title}
          label={messages.apply.confirm(deleted.length)}
          danger
          change={apply}
          close={() => setAsking(false)}
        >
          <Text>{messages.apply.lost}</Text>
          <Changes result={{ created: [], changed: changed.filter(({ loses }) => loses), deleted }} />
        </ConfirmDialog>
      )}
    </Card>
  );
}
