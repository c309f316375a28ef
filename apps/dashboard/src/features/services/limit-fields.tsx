import { LIMIT_THENS, LIMIT_WINDOWS } from '#contracts/states';
import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { hasSum, isLimitCount, type RuleDraft } from './rule-draft.js';
import { rulesMessages } from './rules-messages.js';
import { SumField } from './sum-field.js';

interface Props {
  serviceId: number;
  draft: RuleDraft;
  set: (change: Partial<RuleDraft>) => void;
  /** What the gateway says about the sum, or null. */
  problem: string | null;
}

/** How much each agent may send, and what happens to the rest. */
export function LimitFields({ serviceId, draft, set, problem }: Props) {
  const sums = hasSum(draft);
  return (
    <>
      <SimpleGrid minColWidth="min(160px, 100%)" autoFlow="auto-fit">
        <TextInput
          label={sums ? rulesMessages.limitTotal : rulesMessages.limitCount}
          inputMode={sums ? 'decimal' : 'numeric'}
          autoComplete="off"
          value={draft.limitCount}
          error={!isLimitCount(draft)}
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
      <SumField
        serviceId={serviceId}
        value={draft.limitSum}
        onChange={(limitSum) => set({ limitSum })}
        problem={problem}
      />
    </>
  );
}
