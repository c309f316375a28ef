import type { Callback } from '#contracts';
import { CALLBACK_URL_MAX } from '#contracts/limits';
import { Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormFoot } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { saveCallback } from './api.js';
import { messages } from './messages.js';

const text = messages.callback;

interface Props {
  agentId: number;
  /** null if there is no callback yet. */
  callback: Callback | null;
  /** Called with the secret of a new callback. */
  onSecret: (secret: string) => void;
}

/** Registers or changes a callback. */
export function CallbackForm({ agentId, callback, onSecret }: Props) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { url: callback?.url ?? '', enabled: callback?.enabled ?? true } });
  const { url, enabled } = form.values;
  const save = useMutation({
    mutationFn: () => saveCallback(agentId, { url: url.trim(), enabled }),
    onSuccess: ({ secret }) => {
      if (secret === null) showDone(text.saved);
      else onSecret(secret);
      return queryClient.invalidateQueries({ queryKey: queryKeys.callbacks.of(agentId) });
    },
    // The response may contain the secret, so it must not stay in the mutation cache.
    gcTime: 0,
  });
  const changed = callback === null || url.trim() !== callback.url || enabled !== callback.enabled;
  useUnsaved(changed && url !== '');
  const why = url.trim() === '' ? whyMessages.noUrl : changed ? null : whyMessages.unchanged;
  const discard = (stored: Callback) => {
    form.setValues({ url: stored.url, enabled: stored.enabled });
    save.reset();
  };
  return (
    <form
      // The gateway's error message is more precise than the browser's.
      noValidate
      onSubmit={form.onSubmit(() => {
        if (why === null) save.mutate();
      })}
    >
      <Stack>
        <TextInput
          label={text.url}
          description={text.urlHint}
          placeholder={text.urlPlaceholder}
          type="url"
          inputMode="url"
          maxLength={CALLBACK_URL_MAX}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('url')}
        />
        {callback !== null && (
          <Switch
            label={text.enabled}
            {...form.getInputProps('enabled', { type: 'checkbox' })}
            description={enabled ? undefined : text.disabled}
          />
        )}
        {callback?.disabledReason && <Callout tone="warning">{text.disabledBy(callback.disabledReason)}</Callout>}
        <FormFoot
          label={callback === null ? text.register : text.save}
          why={why}
          save={save}
          cancel={callback !== null && changed ? () => discard(callback) : undefined}
          cancelLabel={text.undo}
        />
      </Stack>
    </form>
  );
}
