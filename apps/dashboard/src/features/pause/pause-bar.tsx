import type { WorkspaceSummary } from '#contracts';
import { Button, Group, Text } from '@mantine/core';
import { useResumeWorkspace } from '../../components/pause/api.js';
import { pauseMessages } from '../../components/pause/messages.js';
import { PauseIcon } from '../../components/pause/pause-icon.js';
import { useMayResume } from '../../components/pause/use-may-resume.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';

/** The line on top of every page while the workspace is paused: the reason, the person and the time. */
export default function PauseBar({ workspace }: { workspace: WorkspaceSummary }) {
  const may = useMayResume(workspace);
  const resume = useResumeWorkspace(workspace.id);
  const since = useNow((now) => (workspace.pause === null ? '' : ago(workspace.pause.at, now)));
  if (workspace.pause === null) return null;
  const { reason, by } = workspace.pause;
  return (
    <Group
      role="status"
      gap="sm"
      px="lg"
      py={6}
      wrap="nowrap"
      c="var(--agw-critical)"
      bg="var(--agw-critical-ground)"
      fz="sm"
    >
      <PauseIcon />
      <Text span inherit flex={1} miw={0} className="anywhere">
        <b>{pauseMessages.by(by.name, since)}:</b> {reason}. {pauseMessages.workspace.refused}
      </Text>
      {may && (
        <Button size="xs" color="danger" flex="none" loading={resume.isPending} onClick={() => resume.mutate()}>
          {pauseMessages.resume}
        </Button>
      )}
    </Group>
  );
}
