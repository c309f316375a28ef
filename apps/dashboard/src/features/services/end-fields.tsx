import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { dateTime } from '../../lib/format.js';
import { isUseLimit, type RuleDraft } from './rule-draft.js';
import { rulesMessages } from './rules-messages.js';

interface Props {
  draft: Pick<RuleDraft, 'ends' | 'expiresAt' | 'maxUses'>;
  set: (change: Partial<Pick<RuleDraft, 'ends' | 'maxUses'>>) => void;
  /** It must have an end, at most so far ahead. */
  maxMinutes?: number;
  /** A limit counts by itself. */
  hasUses?: boolean;
}

/** When a rule ends, and after how many uses. */
export function EndFields({ draft: { ends, expiresAt, maxUses }, set, maxMinutes, hasUses = true }: Props) {
  const offered = Object.entries(rulesMessages.endsIn).filter(
    ([minutes]) => maxMinutes === undefined || Number(minutes) <= maxMinutes,
  );
  return (
    <SimpleGrid minColWidth="min(200px, 100%)" autoFlow="auto-fit">
      <NativeSelect
        label={rulesMessages.ends}
        value={String(ends)}
        data={[
          ...(maxMinutes === undefined ? [{ value: 'never', label: rulesMessages.endless }] : []),
          ...(expiresAt ? [{ value: 'keep', label: rulesMessages.keeps(dateTime(expiresAt)) }] : []),
          ...offered.map(([value, label]) => ({ value, label })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          set({ ends: value === 'never' || value === 'keep' ? value : Number(value) })
        }
      />
      {hasUses && (
        <TextInput
          label={rulesMessages.maxUses}
          placeholder={rulesMessages.maxUsesHint}
          inputMode="numeric"
          value={maxUses}
          error={!isUseLimit(maxUses)}
          onChange={(event) => set({ maxUses: event.currentTarget.value.trim() })}
        />
      )}
    </SimpleGrid>
  );
}
