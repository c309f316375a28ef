import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Card, Section } from '../../../components/page.js';
import { showDone, showFailure } from '../../../lib/toasts.js';
import { useWorkspace } from '../../../lib/workspace.js';
import { downloadConfiguration } from './api.js';
import { ImportFile } from './import-file.js';
import { messages } from './messages.js';

/** The configuration of the workspace as a file. */
export default function ConfigurationFile() {
  const workspace = useWorkspace();
  if (!workspace) return null;
  return (
    <>
      <Export workspaceId={workspace.id} />
      <Section title={messages.import.title}>
        <Text c="dimmed" size="sm" mb="md">
          {messages.import.text}
        </Text>
        <ImportFile workspaceId={workspace.id} />
      </Section>
    </>
  );
}

function Export({ workspaceId }: { workspaceId: number }) {
  const download = useMutation({
    mutationFn: () => downloadConfiguration(workspaceId),
    onSuccess: () => showDone(messages.export.done),
    onError: showFailure,
  });
  return (
    <Section title={messages.export.title}>
      <Card>
        <Text size="sm" mb="md">
          {messages.export.text}
        </Text>
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          {messages.export.button}
        </Button>
      </Card>
    </Section>
  );
}
