import type { Channel } from '#contracts';
import type { ChannelType } from '#contracts/channel-states';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { CHANNEL_NAME_MAX } from '#contracts/limits';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { FormFoot } from '../../components/form-foot.js';
import { whyMessages } from '../../lib/why-messages.js';
import { sharedMessages } from '../../lib/messages.js';
import { meQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { firstField } from '../../lib/first-field.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { createChannel, updateChannel } from './api.js';
import { findFaults, newDraft, toChannelDraft, toChannelSettings, type ChannelDraft } from './draft.js';
import { EscalationFields } from './escalation-fields.js';
import { messages } from './messages.js';
import { QuietFields } from './quiet-fields.js';
import { SlackFields } from './slack-fields.js';
import { TargetField } from './target-field.js';
import { WhatFields } from './what-fields.js';

const text = messages.form;
const HERE = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

interface Props {
  type: ChannelType;
  /** null for a new channel. */
  channel: Channel | null;
  /** The other channels that the person sees. */
  others: readonly Channel[];
  onSecret: (channel: Channel, secret: string, done: string) => void;
  close: () => void;
}

/** Adds or changes a channel. It has only the fields that the type needs. */
export function ChannelDialog({ type, channel, others, onSecret, close }: Props) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const initialValues = channel === null ? newDraft(type, HERE()) : toChannelDraft(channel, HERE());
  const needsTarget = channel === null && type !== 'email' && type !== 'webpush';
  const form = useForm<ChannelDraft>({
    initialValues,
    validateInputOnBlur: true,
    validate: (draft) => findFaults(draft, needsTarget || draft.isApp !== initialValues.isApp),
  });
  const save = useMutation({
    mutationFn: async (draft: ChannelDraft) =>
      channel === null
        ? createChannel({ type, ...toChannelSettings(draft) })
        : { ...(await updateChannel(channel.id, toChannelSettings(draft))), secret: null },
    onSuccess: (saved) => {
      close();
      const done = channel === null ? text.added(saved.name) : text.saved;
      if (saved.secret === null) showDone(done);
      else onSecret(saved, saved.secret, done);
      return queryClient.invalidateQueries({ queryKey: queryKeys.channels.all });
    },
    // The response may contain the secret, so it must not stay in the mutation cache.
    gcTime: 0,
  });
  const mayClose = useUnsaved(form.isDirty());
  const { data: me } = useQuery(meQuery);
  const isMailless = type === 'email' && me?.sendsMail === false;
  const why = channel !== null && !form.isDirty() ? whyMessages.unchanged : null;
  return (
    <Modal
      opened
      onClose={() => mayClose() && close()}
      size="lg"
      title={channel === null ? text.create(type) : text.edit(channel.name)}
    >
      {isMailless && (
        <Callout tone="warning">
          {messages.noMail[channel === null ? 'channel' : 'stopped'](me.administersInstallation)}
        </Callout>
      )}
      {/* Nothing can be added without a mail server, so nothing is asked either. */}
      {isMailless && channel === null ? (
        <Group justify="flex-end" mt="md">
          <Button data-autofocus onClick={close}>
            {sharedMessages.actions.close}
          </Button>
        </Group>
      ) : (
        <form
          ref={firstField}
          // The gateway's error message is more precise than the browser's.
          noValidate
          onSubmit={form.onSubmit(
            (draft) => {
              if (why === null) save.mutate(draft);
            },
            // The button is at the end of a long form, so the field with the error may be out of view.
            (faults) => form.getInputNode(Object.keys(faults)[0]!)?.focus(),
          )}
        >
          <Stack gap="lg">
            {type === 'slack' ? (
              <SlackFields form={form} channel={channel} />
            ) : (
              <TargetField form={form} type={type} kept={channel?.target ?? null} />
            )}
            <TextInput label={text.name} maxLength={CHANNEL_NAME_MAX} {...form.getInputProps('name')} />
            <WhatFields form={form} type={type} />
            {type !== 'webhook' && <QuietFields form={form} />}
            <EscalationFields form={form} type={type} others={others} />
            <FormFoot atEnd label={channel === null ? text.submit : text.save} why={why} save={save} cancel={close} />
          </Stack>
        </form>
      )}
    </Modal>
  );
}
