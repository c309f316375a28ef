import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { useResumeWorkspace } from '../../components/pause/api.js';
import { pauseMessages } from '../../components/pause/messages.js';
import { PauseIcon } from '../../components/pause/pause-icon.js';
import PauseWorkspaceDialog from '../../components/pause/pause-workspace-dialog.js';
import { useMayResume } from '../../components/pause/use-may-resume.js';
import { useMay, useWorkspace } from '../../lib/workspace.js';

const text = pauseMessages.workspace;

interface Props extends ButtonProps {
  /** The pause has begun or ended. */
  onDone?: () => void;
}

/**
 * Stops all agents of the workspace, or lets them run again. Red while they are stopped. Approvers can
 * stop them, and resume what they stopped themselves.
 */
export default function PauseButton({ onDone, ...look }: Props) {
  const workspace = useWorkspace();
  const may = useMay('approver');
  const mayResume = useMayResume(workspace);
  const [asking, setAsking] = useState(false);
  const resume = useResumeWorkspace(workspace?.id ?? 0);
  if (!workspace || !may) return null;
  const paused = workspace.pause !== null;
  if (paused && !mayResume) return null;
  return (
    <>
      <Button
        variant={paused ? 'filled' : 'subtle'}
        color={paused ? 'danger' : undefined}
        c={paused ? undefined : 'dimmed'}
        fw={paused ? undefined : 400}
        fullWidth
        mb={4}
        px={8}
        justify="start"
        leftSection={<PauseIcon resume={paused} />}
        title={workspace.pause?.reason}
        {...look}
        loading={resume.isPending}
        onClick={() => (paused ? resume.mutate(undefined, { onSuccess: onDone }) : setAsking(true))}
      >
        {paused ? text.resume : text.pause}
      </Button>
      {asking && <PauseWorkspaceDialog workspace={workspace} close={() => setAsking(false)} onDone={onDone} />}
    </>
  );
}
