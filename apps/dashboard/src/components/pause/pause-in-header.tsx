import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { PartNotLoaded } from '../notices.js';
import { useMay, useWorkspace } from '../../lib/workspace.js';
import { headerMessages } from './header-messages.js';
import { PauseIcon } from './pause-icon.js';

// Dialogs are larger than the inbox needs before its first decision.
const PauseWorkspaceDialog = lazy(() =>
  import('./pause-workspace-dialog.js').catch(() => ({ default: PartNotLoaded })),
);

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
        aria-label={headerMessages.pause}
        title={headerMessages.pause}
        onClick={() => setAsking(true)}
      >
        <PauseIcon />
      </Button>
      <Suspense>{asking && <PauseWorkspaceDialog workspace={workspace} close={() => setAsking(false)} />}</Suspense>
    </>
  );
}
