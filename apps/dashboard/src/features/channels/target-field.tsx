import { CHANNEL_TARGET_MAX } from '#contracts/limits';
import type { ChannelType } from '#contracts/channel-states';
import { Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../lib/queries.js';
import type { ChannelDraft } from './draft.js';
import { messages } from './messages.js';

const text = messages.form;

interface Props {
  form: UseFormReturnType<ChannelDraft>;
  type: ChannelType;
  /** The masked target that a change keeps. */
  kept: string | null;
}

/** The target of the notifications, with a hint where to get that URL. */
export function TargetField({ form, type, kept }: Props) {
  const { data: me } = useQuery(meQuery);
  if (type === 'webpush') return null;
  if (type === 'email') return <Text c="dimmed">{text.help.email(me?.email ?? '')}</Text>;
  return (
    <TextInput
      label={text.url}
      description={text.help[type]}
      placeholder={kept === null ? text.placeholder[type] : text.keep(kept)}
      type="url"
      inputMode="url"
      maxLength={CHANNEL_TARGET_MAX}
      autoComplete="off"
      spellCheck={false}
      {...form.getInputProps('target')}
    />
  );
}
