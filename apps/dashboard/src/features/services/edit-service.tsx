import type { Service, UpdateServiceRequest } from '#contracts';
import { BASE_URL_MAX, SERVICE_NAME_MAX } from '#contracts/limits';
import { AUTH_TYPES } from '#contracts/states';
import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormFoot } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { normalBaseUrl } from '../../components/service-form/service-form.js';
import { messages as shared } from '../../lib/messages.js';
import { showDone } from '../../lib/toasts.js';
import { updateService } from './api.js';
import { messages } from './messages.js';

const text = messages.overview;

/** Edits name, base URL and authentication. It warns if the credentials would be sent to another host. */
export function EditService({ service, close }: { service: Service; close: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { name: service.name, baseUrl: service.baseUrl, authType: service.authType },
  });
  const { name, baseUrl, authType } = form.values;
  const change: UpdateServiceRequest = {
    ...(name.trim() !== service.name && { name: name.trim() }),
    ...(baseUrl.trim() !== service.baseUrl && { baseUrl: baseUrl.trim() }),
    ...(authType !== service.authType && { authType }),
  };
  const save = useMutation({
    mutationFn: () => updateService(service.id, change),
    onSuccess: () => {
      showDone(text.saved);
      close();
      return queryClient.invalidateQueries({ queryKey: ['services'] });
    },
  });
  const url = normalBaseUrl(baseUrl.trim());
  const before = normalBaseUrl(service.baseUrl);
  const why =
    name.trim() === ''
      ? shared.why.name(1)
      : url === null
        ? shared.why.url
        : Object.keys(change).length === 0
          ? shared.why.unchanged
          : null;
  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (why === null) save.mutate();
      })}
    >
      <Stack>
        <TextInput
          label={text.name}
          maxLength={SERVICE_NAME_MAX}
          autoComplete="off"
          autoFocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={text.baseUrl}
          description={text.baseUrlHint}
          type="url"
          maxLength={BASE_URL_MAX}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('baseUrl')}
          error={url ? undefined : text.badUrl}
        />
        {url && before && url.host !== before.host && (
          <Callout tone="warning">{text.moves(before.host, url.host)}</Callout>
        )}
        <NativeSelect
          label={text.auth}
          data={AUTH_TYPES.map((value) => ({ value, label: messages.auth[value] }))}
          {...form.getInputProps('authType')}
        />
        {authType !== service.authType && <Callout tone="warning">{text.authHint}</Callout>}
        <FormFoot label={text.save} why={why} save={save} cancel={close} />
      </Stack>
    </form>
  );
}
