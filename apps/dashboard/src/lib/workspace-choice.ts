/**
 * Which workspace this tab shows. A link chooses one with `?workspace=<id>`. Otherwise it is the one that this tab,
 * else this browser, showed last. A choice loads the page again, so that nothing of the other workspace is left in
 * memory.
 */
const CHOICE = 'agw-workspace';
const LOST = 'agw-workspace-lost';

/** null: the server chooses the person's oldest one, and `pinWorkspace` stores its id. */
let chosen = fromLink() ?? idIn(stored(() => sessionStorage)) ?? idIn(stored(() => localStorage));

/** Without storage, each page load starts in the oldest workspace. Unit tests load this file outside a browser. */
function stored(of: () => Storage): Storage | null {
  try {
    return of();
  } catch {
    return null;
  }
}

function idIn(storage: Storage | null): number | null {
  const id = storage?.getItem(CHOICE) ?? '';
  return /^[1-9]\d{0,9}$/.test(id) ? Number(id) : null;
}

function fromLink(): number | null {
  if (typeof location === 'undefined') return null;
  const url = new URL(location.href);
  const id = url.searchParams.get('workspace') ?? '';
  if (!/^[1-9]\d{0,9}$/.test(id)) return null;
  for (const storage of [() => sessionStorage, () => localStorage]) stored(storage)?.setItem(CHOICE, id);
  url.searchParams.delete('workspace');
  history.replaceState(history.state, '', url);
  return Number(id);
}

export const workspaceId = (): number | null => chosen;

/** Stays in this workspace, even if the person loses it and another one becomes the oldest. */
export function pinWorkspace(id: number | undefined): void {
  if (chosen !== null || id === undefined) return;
  chosen = id;
  stored(() => sessionStorage)?.setItem(CHOICE, String(id));
}

/** A link that opens the workspace. The router must not handle it, because the page has to load again. */
export const workspaceUrl = (id: number, path = '/approvals'): string => `/dashboard${path}?workspace=${id}`;

export function forgetWorkspace(): void {
  chosen = null;
  for (const storage of [() => sessionStorage, () => localStorage]) stored(storage)?.removeItem(CHOICE);
}

/** The workspace is gone, or the person is no longer a member. The next page shows this. */
export function leaveLostWorkspace(): void {
  forgetWorkspace();
  stored(() => sessionStorage)?.setItem(LOST, '1');
  location.assign('/dashboard/approvals');
}

/** Whether the page was loaded because a workspace was lost. True once. */
export function workspaceWasLost(): boolean {
  const storage = stored(() => sessionStorage);
  const lost = storage?.getItem(LOST) === '1';
  storage?.removeItem(LOST);
  return lost;
}
