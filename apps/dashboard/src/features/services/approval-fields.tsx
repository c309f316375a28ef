import { APPROVALS_MAX } from '#contracts/limits';
import { isAtLeast } from '#contracts/states';
import { NativeSelect, Switch } from '@mantine/core';
import { useMembers } from '../../lib/workspace.js';
import { Chips } from '../../components/chips.js';
import { rulesMessages } from './rules-messages.js';
import { exceptionsOf, mayHaveExceptions, type RuleDraft } from './rule-draft.js';

/** How many people a request needs, who they may be, and whether an exception may lift the rule. */
export function ApprovalFields({ draft, set }: { draft: RuleDraft; set: (change: Partial<RuleDraft>) => void }) {
  const { data: members = [] } = useMembers();
  // People who were named stay in the list, so that somebody who left can be taken out.
  const people = members.filter(({ id, role }) => isAtLeast(role, 'approver') || draft.approverIds.includes(id));
  const left = draft.approverIds.filter((id) => !members.some((member) => member.id === id));
  return (
    <>
      <NativeSelect
        label={rulesMessages.approvals}
        description={rulesMessages.approvalsHint}
        value={String(draft.approvals)}
        data={Array.from({ length: APPROVALS_MAX }, (_, index) => String(index + 1))}
        onChange={({ currentTarget: { value } }) => set({ approvals: Number(value) })}
      />
      <Chips
        legend={rulesMessages.approvers}
        hint={rulesMessages.approversHint}
        value={draft.approverIds.map(String)}
        options={[
          ...people.map(({ id, name }) => ({ value: String(id), label: name })),
          ...left.map((id) => ({ value: String(id), label: `#${id}` })),
        ]}
        onChange={(chosen) => set({ approverIds: chosen.map(Number) })}
      />
      <Switch
        label={rulesMessages.hard}
        description={mayHaveExceptions(draft) ? rulesMessages.hardHint : rulesMessages.alwaysHard}
        checked={exceptionsOf(draft) === 'none'}
        disabled={!mayHaveExceptions(draft)}
        onChange={(event) => set({ exceptions: event.currentTarget.checked ? 'none' : 'temporary' })}
      />
    </>
  );
}
