import type { WorkspaceSummary } from '#contracts';
import { PauseDialog } from './pause-dialog.js';
import { pauseMessages } from './messages.js';
import { usePauseWorkspace } from './api.js';

const text = pauseMessages.workspace;

interface Props {
  workspace: WorkspaceSummary;
  close: () => void;
  onDone?: () => void;
}

export default function PauseWorkspaceDialog({ workspace, close, onDone }: Props) {
  const pause = usePauseWorkspace(workspace.id, () => {
    close();
    onDone?.();
  });
  return (
    <PauseDialog
      title={text.title(workspace.name)}
      lead={text.lead}
      suggested={text.suggested}
      save={pause}
      onPause={pause.mutate}
      close={close}
    />
  );
}
