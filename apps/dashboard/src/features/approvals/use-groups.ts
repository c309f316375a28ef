import type { ActionSummary } from '#contracts';
import { useState } from 'react';
import { groupIdentical, type ActionGroup } from './groups.js';

/** Groups stay the same objects while their members do not change. */
export function useGroups(actions: readonly ActionSummary[]): readonly ActionGroup[] {
  const [last, setLast] = useState(() => ({ actions, groups: groupIdentical(actions) }));
  if (last.actions === actions) return last.groups;
  const groups = groupIdentical(actions, last.groups);
  setLast({ actions, groups });
  return groups;
}
