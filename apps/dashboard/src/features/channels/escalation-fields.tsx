import type { Channel } from '#contracts';
import { PERSONAL_CHANNEL_TYPES, type ChannelType } from '#contracts/channel-states';
import { NativeSelect } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ChannelDraft } from './draft.js';
import { messages } from './messages.js';
import { MINUTES, withPresent } from './presets.js';

const text = messages.form;

interface Props {
  form: UseFormReturnType<ChannelDraft>;
  type: ChannelType;
  others: readonly Channel[];
}

const parseMinutes = (value: string): number | null => (value === '' ? null : Number(value));

/** The settings for requests that nobody decides. */
export function EscalationFields({ form, type, others }: Props) {
  const { events, remindAfter, escalateAfter } = form.values;
  const isPersonal = PERSONAL_CHANNEL_TYPES.some((each) => each === type);
  // A channel of a workspace can't escalate to a person's own channel.
  const possible = others.filter(({ scope }) => isPersonal || scope === 'workspace');
  return (
    <>
      {events.includes('approval.reminder') && (
        <NativeSelect
          label={text.remind}
          {...form.getInputProps('remindAfter')}
          data={withPresent(MINUTES, remindAfter).map((value) => ({ value, label: text.reminds(parseMinutes(value)) }))}
        />
      )}
      <NativeSelect
        label={text.escalate}
        description={possible.length === 0 ? text.noOther : undefined}
        disabled={possible.length === 0}
        {...form.getInputProps('escalateAfter')}
        data={withPresent(MINUTES, escalateAfter).map((value) => ({
          value,
          label: text.escalates(parseMinutes(value)),
        }))}
      />
      {escalateAfter !== '' && (
        <NativeSelect
          label={text.escalateTo}
          {...form.getInputProps('escalateTo')}
          data={[
            { value: '', label: text.choose },
            ...possible.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
    </>
  );
}
