import type { Pause, Workspace, WorkspaceSettings, WorkspaceSummary } from '#contracts';
import type { WorkspaceEntity } from '#database';

type Paused = Pick<WorkspaceEntity, 'pausedAt' | 'pausedReason' | 'pausedBy' | 'pausedByName'>;

export const toPause = ({ pausedAt, pausedReason, pausedBy, pausedByName }: Paused): Pause | null =>
  pausedAt === null
    ? null
    : { reason: pausedReason ?? '', at: pausedAt.toISOString(), by: { id: pausedBy, name: pausedByName ?? '' } };

export const toSettings = (workspace: WorkspaceEntity): WorkspaceSettings => ({
  separationOfDuties: workspace.separationOfDuties,
  confirmFromRisk: workspace.confirmFromRisk,
  confirmEffects: workspace.confirmEffects,
  approveInNotificationsBelow: workspace.approveInNotificationsBelow,
  approverRuleMaxHours: workspace.approverRuleMaxHours,
  undoSeconds: workspace.undoSeconds,
});

/** @param role of the person who asks */
export const toWorkspace = (workspace: WorkspaceEntity, role: WorkspaceSummary['role']): Workspace => ({
  id: workspace.id,
  name: workspace.name,
  role,
  pause: toPause(workspace),
  createdAt: workspace.createdAt.toISOString(),
  settings: toSettings(workspace),
});
