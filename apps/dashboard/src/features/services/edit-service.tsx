import type { Service, UpdateServiceRequest } from '#contracts';
import { BASE_URL_MAX, SERVICE_NAME_MAX } from '#contracts/limits';
import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormFoot } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { settingsProblem, toAuthDraft } from '../../components/service-form/auth-draft.js';
import { AuthSettingsFields } from '../../components/service-form/auth-settings.js';
import { serviceFormMessages } from '../../components/service-form/messages.js';
import { WAYS } from '../../components/service-form/ways.js';
import { normalBaseUrl } from '../../components/service-form/service-form.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { updateService } from './api.js';
import { changedSettings, isOtherClient } from './changed-settings.js';
import { messages } from './messages.js';
import { missingValue, NewCredentials, newCredentials } from './new-credentials.js';

const text = messages.overview;

/** Edits name, base URL and authentication. It warns if the credentials would be sent to another host. */
export function EditService({ service, close }: { service: Service; close: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { name: service.name, baseUrl: service.baseUrl, auth: toAuthDraft(service) },
  });
  const { name, baseUrl, auth } = form.values;
  useUnsaved(form.isDirty());
  const settings = changedSettings(service, auth);
  const isOtherUse = settings.authType !== undefined || settings.auth !== undefined;
  const asked = isOtherUse ? newCredentials(service, auth) : [];
  const typed = asked.filter(({ value }) => value !== '').map(({ name, value }) => [name, value] as const);
  const change: UpdateServiceRequest = {
    ...(name.trim() !== service.name && { name: name.trim() }),
    ...(baseUrl.trim() !== service.baseUrl && { baseUrl: baseUrl.trim() }),
    ...settings,
    ...(typed.length > 0 && { newCredentials: Object.fromEntries(typed) }),
  };
  const missing = missingValue(service, auth, asked);
  const save = useMutation({
    mutationFn: () => updateService(service.id, change),
    onSuccess: () => {
      showDone(text.saved);
      close();
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    },
  });
  const url = normalBaseUrl(baseUrl.trim());
  const before = normalBaseUrl(service.baseUrl);
  const why =
    name.trim() === ''
      ? whyMessages.name(1)
      : url === null
        ? whyMessages.url
        : Object.keys(change).length === 0
          ? whyMessages.unchanged
          : (settingsProblem(auth, url) ?? (missing === null ? null : serviceFormMessages.enter(missing)));
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
          data={WAYS.map((value) => ({ value, label: serviceFormMessages.ways[value].title }))}
          {...form.getInputProps('auth.way')}
        />
        <AuthSettingsFields draft={auth} onChange={(part) => form.setFieldValue('auth', { ...auth, ...part })} />
        <NewCredentials
          rows={asked}
          onChange={(secrets) => form.setFieldValue('auth', { ...auth, secrets: { ...auth.secrets, ...secrets } })}
        />
        {auth.way !== toAuthDraft(service).way && asked.length === 0 && (
          <Callout tone="warning">{text.authHint}</Callout>
        )}
        {isOtherClient(service.oauth, settings.oauth) && <Callout tone="warning">{text.endsConnection}</Callout>}
        <FormFoot label={text.save} why={why} save={save} cancel={close} />
      </Stack>
    </form>
  );
}
