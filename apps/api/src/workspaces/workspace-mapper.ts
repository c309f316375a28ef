import type { Pause, Workspace, WorkspaceSummary } from '#contracts';
import type { WorkspaceEntity } from '#database';

type Paused = Pick<WorkspaceEntity, 'pausedAt' | 'pausedReason' | 'pausedBy' | 'pausedByName'>;

export const toPause = ({ pausedAt, pausedReason, pausedBy, pausedByName }: Paused): Pause | null =>
  pausedAt === null
    ? null
    : { reason: pausedReason ?? '', at: pausedAt.toISOString(), by: { id: pausedBy, name: pausedByName ?? '' } };

/** @param role of the person who asks */
export const toWorkspace = (workspace: WorkspaceEntity, role: WorkspaceSummary['role']): Workspace => ({
  id: workspace.id,
  name: workspace.name,
  role,
  pause: toPause(workspace),
  createdAt: workspace.createdAt.toISOString(),
  settings: {
    separationOfDuties: workspace.separationOfDuties,
    confirmFromRisk: workspace.confirmFromRisk,
    approveInNotificationsBelow: workspace.approveInNotificationsBelow,
    approverRuleMaxHours: workspace.approverRuleMaxHours,
    undoSeconds: workspace.undoSeconds,
  },
});
