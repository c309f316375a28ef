import type { OAuthSettings, Service, UpdateServiceRequest } from '#contracts';
import { BASE_URL_MAX, SERVICE_NAME_MAX } from '#contracts/limits';
import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormFoot } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { authDraftOf, settingsOf, settingsProblem, type AuthDraft } from '../../components/service-form/auth-draft.js';
import { AuthSettingsFields } from '../../components/service-form/auth-settings.js';
import { messages as formText } from '../../components/service-form/messages.js';
import { WAYS } from '../../components/service-form/ways.js';
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
    initialValues: { name: service.name, baseUrl: service.baseUrl, auth: authDraftOf(service) },
  });
  const { name, baseUrl, auth } = form.values;
  const settings = changedSettings(service, auth);
  const change: UpdateServiceRequest = {
    ...(name.trim() !== service.name && { name: name.trim() }),
    ...(baseUrl.trim() !== service.baseUrl && { baseUrl: baseUrl.trim() }),
    ...settings,
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
          : settingsProblem(auth, url);
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
          data={WAYS.map((value) => ({ value, label: formText.ways[value].title }))}
          {...form.getInputProps('auth.way')}
        />
        <AuthSettingsFields draft={auth} onChange={(part) => form.setFieldValue('auth', { ...auth, ...part })} />
        {auth.way !== authDraftOf(service).way && <Callout tone="warning">{text.authHint}</Callout>}
        {isOtherClient(service.oauth, settings.oauth) && <Callout tone="warning">{text.endsConnection}</Callout>}
        <FormFoot label={text.save} why={why} save={save} cancel={close} />
      </Stack>
    </form>
  );
}

/** The settings that differ from those of the service. Null removes settings that the new way does not have. */
function changedSettings(service: Service, auth: AuthDraft): Pick<UpdateServiceRequest, 'authType' | 'auth' | 'oauth'> {
  const [before, after] = [settingsOf(authDraftOf(service)), settingsOf(auth)];
  const differs = (name: keyof typeof after) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return {
    ...(differs('authType') && { authType: after.authType }),
    ...(differs('auth') && { auth: after.auth }),
    ...(differs('oauth') && { oauth: after.oauth }),
  };
}

/** Whether the tokens of a service would be worth nothing (docs/reference/dashboard-api.md#services). */
const isOtherClient = (before: OAuthSettings | null, after: OAuthSettings | null | undefined): boolean =>
  before !== null &&
  after !== undefined &&
  (before.grant !== after?.grant || before.tokenUrl !== after.tokenUrl || before.clientId !== after.clientId);
