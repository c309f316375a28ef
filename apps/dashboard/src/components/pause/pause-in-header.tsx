import { Button } from '@mantine/core';
import { useState } from 'react';
import { useMay, useWorkspace } from '../../lib/workspace.js';
import { pauseMessages } from './messages.js';
import { PauseIcon } from './pause-icon.js';
import { PauseWorkspaceDialog } from './pause-workspace-dialog.js';

const text = pauseMessages.workspace;

/** Stops all agents with two presses on a phone, which has no rail. The line on top of each page resumes them. */
export default function PauseInHeader() {
  const workspace = useWorkspace();
  const may = useMay('approver');
  const [asking, setAsking] = useState(false);
  if (!workspace || !may || workspace.pause !== null) return null;
  return (
    <>
      <Button
        variant="subtle"
        size="xs"
        px={6}
        c="dimmed"
        aria-label={text.pause}
        title={text.pause}
        onClick={() => setAsking(true)}
      >
        <PauseIcon />
      </Button>
      {asking && <PauseWorkspaceDialog workspace={workspace} close={() => setAsking(false)} />}
    </>
  );
}
