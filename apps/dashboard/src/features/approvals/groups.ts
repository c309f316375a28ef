import type { ActionSummary } from '#contracts';

/** Identical requests, shown as one row with a count. */
export interface ActionGroup {
  /** The first action of the group. The row shows it. */
  first: ActionSummary;
  actions: readonly ActionSummary[];
}

/**
 * Equal for requests that have the same agent and service and would send the same, which the digest covers, for the same
 * reason. The intent is not sent, but people decide on it, and a row shows only the first.
 */
const fingerprint = ({ action_id, digest, status, intent }: ActionSummary): string =>
  `${status} ${digest ?? action_id} ${intent}`;

/**
 * Puts each group at the position of its first member. Groups from `before` with the same members are reused, so that
 * only changed rows render again.
 */
export function groupIdentical(actions: readonly ActionSummary[], before: readonly ActionGroup[] = []): ActionGroup[] {
  const known = new Map(before.map((group) => [group.first, group]));
  const groups = new Map<string, ActionSummary[]>();
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

/** Whether all actions are identical, so that they can be approved together. */
export const areIdentical = (actions: readonly ActionSummary[]): boolean =>
  new Set(actions.map(fingerprint)).size === 1;
