import { LIMIT_THENS, LIMIT_WINDOWS } from '#contracts/states';
import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { ruleFault, type RuleDraft } from './rule-draft.js';
import { rulesMessages } from './rules-messages.js';

/** How much each agent may send, and what happens to the rest. */
export function LimitFields({ draft, set }: { draft: RuleDraft; set: (change: Partial<RuleDraft>) => void }) {
  return (
    <SimpleGrid minColWidth="min(160px, 100%)" autoFlow="auto-fit">
      <TextInput
        label={rulesMessages.limitCount}
        inputMode="numeric"
        autoComplete="off"
        value={draft.limitCount}
        error={ruleFault(draft) === 'limit'}
        onChange={(event) => set({ limitCount: event.currentTarget.value.trim() })}
      />
      <NativeSelect
        label={rulesMessages.limitPer}
        value={draft.limitPer}
        data={LIMIT_WINDOWS.map((value) => ({ value, label: rulesMessages.windows[value] }))}
        onChange={({ currentTarget: { value } }) =>
          set({ limitPer: LIMIT_WINDOWS.find((window) => window === value) ?? draft.limitPer })
        }
      />
      <NativeSelect
        label={rulesMessages.limitThen}
        value={draft.limitThen}
        data={LIMIT_THENS.map((value) => ({ value, label: rulesMessages.thens[value] }))}
        onChange={({ currentTarget: { value } }) =>
          set({ limitThen: LIMIT_THENS.find((then) => then === value) ?? draft.limitThen })
        }
      />
    </SimpleGrid>
  );
}
