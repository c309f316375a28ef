import { CONDITION_MAX } from '#contracts/limits';
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { bodiesQuery } from './api.js';
import { knownSums } from './known-fields.js';
import { rulesMessages } from './rules-messages.js';

interface Props {
  serviceId: number;
  value: string;
  onChange: (value: string) => void;
  /** What the gateway says about it, or null. */
  problem: string | null;
}

/** What a limit sums, in CEL. It suggests the numbers of recent requests. */
export function SumField({ serviceId, value, onChange, problem }: Props) {
  const list = useId();
  const { data: actions = [] } = useQuery(bodiesQuery(serviceId));
  return (
    <>
      <TextInput
        label={rulesMessages.limitSum}
        description={rulesMessages.limitSumHint}
        placeholder={rulesMessages.limitSumPlaceholder}
        classNames={{ input: 'mono' }}
        maxLength={CONDITION_MAX}
        list={list}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        error={problem}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={list}>
        {knownSums(actions).map((sum) => (
          <option key={sum} value={sum} />
        ))}
      </datalist>
    </>
  );
}
