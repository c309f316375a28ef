import { useCallback, useState } from 'react';
import type { ActionGroup } from './groups.js';

const listIds = (group: ActionGroup | undefined): string[] => group?.actions.map(({ action_id }) => action_id) ?? [];

/** The actions that are selected in the list. `ids` is null outside select mode. */
export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  return {
    ids,
    /** Starts select mode, with one group selected if given. */
    start: (group?: ActionGroup) => setIds(new Set(listIds(group))),
    stop: () => setIds(null),
    /** Selects the whole group, or none of it if the whole group is selected. */
    toggle: useCallback(
      (group: ActionGroup) =>
        setIds((before) => {
          const next = new Set(before);
          const members = listIds(group);
          const all = members.every((id) => next.has(id));
          for (const id of members) {
            if (all) next.delete(id);
            else next.add(id);
          }
          return next;
        }),
      [],
    ),
  };
}
