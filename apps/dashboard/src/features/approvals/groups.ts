import type { Action } from '#contracts';

/** Requests that would do exactly the same: one row with a count. */
export interface ActionGroup {
  /** The first of them on screen: it stands for all. */
  first: Action;
  actions: readonly Action[];
}

const fingerprints = new WeakMap<Action, string>();

/** Equal for requests that agree in all that will be sent, and in who sends it to whom. The intent is no part of what happens. */
export function fingerprint(action: Action): string {
  const known = fingerprints.get(action);
  if (known !== undefined) return known;
  const headers = Object.entries(action.headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const fingerprint = JSON.stringify([
    action.agent.id,
    action.agent.name,
    action.service.id,
    action.method,
    action.targetUrl,
    action.body,
    action.bodyEncoding ?? null,
    headers,
    action.status,
  ]);
  fingerprints.set(action, fingerprint);
  return fingerprint;
}

/**
 * Each group stands where its first member stood; nothing else moves. A group of `before` whose members are the same is kept as it is,
 * so that of hundreds of rows only those are drawn again that changed.
 */
export function groupIdentical(actions: readonly Action[], before: readonly ActionGroup[] = []): ActionGroup[] {
  const known = new Map(before.map((group) => [group.first, group]));
  const groups = new Map<string, Action[]>();
  for (const action of actions) {
    const key = fingerprint(action);
    const group = groups.get(key);
    if (group) group.push(action);
    else groups.set(key, [action]);
  }
  return [...groups.values()].map((members) => {
    const same = known.get(members[0]!);
    return same?.actions.length === members.length && same.actions.every((each, index) => each === members[index])
      ? same
      : { first: members[0]!, actions: members };
  });
}

/** True when all of them could be decided as one. */
export const areIdentical = (actions: readonly Action[]): boolean => new Set(actions.map(fingerprint)).size === 1;
