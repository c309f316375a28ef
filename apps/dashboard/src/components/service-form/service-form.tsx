import { RECOMMENDED_EFFECTS } from '#contracts/effects';
import { BASE_URL_MAX, SERVICE_NAME_MAX } from '#contracts/limits';
import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { AskForField } from '../effects/ask-for-field.js';
import { openApiHints } from '../../lib/openapi-hints.js';
import {
  askedCredentials,
  emptyAuth,
  hasCredentials,
  settingsProblem,
  toAuthSettings,
  toCredentials,
  type AuthDraft,
} from './auth-draft.js';
import { AuthSettingsFields } from './auth-settings.js';
import { CardChoice } from './card-choice.js';
import { ConnectFoot } from './connect-foot.js';
import type { ConnectProps } from './connect-props.js';
import { CredentialInputs } from './credential-inputs.js';
import type { CredentialRow } from './credential-row.js';
import { serviceFormMessages } from './messages.js';
import { OpenApiInput } from './open-api-input.js';
import { WAYS } from './ways.js';
import { whyMessages } from '../../lib/why-messages.js';
import { useUnsaved } from '../../lib/unsaved.js';

const INITIAL = {
  name: '',
  baseUrl: '',
  auth: emptyAuth,
  askFor: [...RECOMMENDED_EFFECTS],
  openapi: null as string | null,
};

/** What a document says about its API, as texts for the fields. */
function readHints(content: string | null): { name: string; baseUrl: string } {
  const { name, baseUrl } = openApiHints(content ?? '');
  return { name: (name ?? '').slice(0, SERVICE_NAME_MAX), baseUrl: baseUrl ?? '' };
}

/** The normalized base URL, or null if the gateway would not accept it. */
export function normalBaseUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const fine = /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  return fine ? url : null;
}

/** The form for an API that the catalogue does not have. */
export function ServiceForm({ submitLabel, connect }: ConnectProps) {
  const form = useForm({ initialValues: INITIAL, onValuesChange: connect.forget });
  const { name, baseUrl, auth, askFor, openapi } = form.values;
  useUnsaved(form.isDirty());
  const url = normalBaseUrl(baseUrl.trim());
  const settings = toAuthSettings(auth);
  const change = (part: Partial<AuthDraft>) => form.setFieldValue('auth', { ...auth, ...part });
  const why =
    name.trim() === ''
      ? whyMessages.name(1)
      : url === null
        ? whyMessages.url
        : (settingsProblem(auth, url) ?? (hasCredentials(auth) ? null : whyMessages.credentials));

  function takeOpenApi(content: string | null) {
    const before = readHints(openapi);
    const hints = readHints(content);
    form.setValues({
      openapi: content,
      // Fields follow the document while it is typed, until the person changes them.
      name: name === '' || name === before.name ? hints.name || name : name,
      baseUrl: baseUrl === '' || baseUrl === before.baseUrl ? hints.baseUrl || baseUrl : baseUrl,
    });
  }

  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (why !== null) return;
        connect.submit({
          service: {
            name: name.trim(),
            baseUrl: baseUrl.trim(),
            ...settings,
            credentials: toCredentials(auth),
            askFor,
          },
          rules: [],
          openapi: openapi === null ? null : { content: openapi },
          testPath: null,
        });
      })}
    >
      <Stack gap="lg">
        <Group align="flex-start">
          <TextInput
            flex="1 1 180px"
            label={serviceFormMessages.name}
            placeholder={serviceFormMessages.namePlaceholder}
            maxLength={SERVICE_NAME_MAX}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <TextInput
            flex="2 1 240px"
            label={serviceFormMessages.baseUrl}
            type="url"
            inputMode="url"
            placeholder="https://api.example.com/v1"
            maxLength={BASE_URL_MAX}
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('baseUrl')}
            error={baseUrl !== '' && !url ? serviceFormMessages.badUrl : undefined}
          />
        </Group>
        <Text c="dimmed" size="sm" mt={-8}>
          {url
            ? serviceFormMessages.reach(`${url.host}${url.pathname.replace(/\/$/, '')}/*`)
            : serviceFormMessages.baseUrlHint}
          {url?.protocol === 'http:' && (
            <Text span inherit fw="bold" c="var(--agw-high)">
              {' '}
              {serviceFormMessages.plainHttp}
            </Text>
          )}
        </Text>
        <CardChoice
          label={serviceFormMessages.auth}
          value={auth.way}
          // Clears the secrets of the earlier way, because their fields are hidden now.
          onChange={(way) => change({ way, secrets: {}, headers: emptyAuth.headers })}
          options={WAYS.map((value) => ({ value, ...serviceFormMessages.ways[value] }))}
        />
        <AuthSettingsFields draft={auth} onChange={change} />
        {auth.way !== 'none' && <Credentials auth={auth} onChange={change} isRejected={connect.rejected !== null} />}
        <AskForField value={askFor} onChange={(value) => form.setFieldValue('askFor', value)} />
        <OpenApiInput content={openapi} onChange={takeOpenApi} />
        <ConnectFoot connect={connect} submitLabel={submitLabel} why={why} />
      </Stack>
    </form>
  );
}

interface CredentialsProps {
  auth: AuthDraft;
  onChange: (change: Partial<AuthDraft>) => void;
  isRejected: boolean;
}

function Credentials({ auth, onChange, isRejected }: CredentialsProps) {
  const { authType } = toAuthSettings(auth);
  const asked = askedCredentials(auth).map(({ name }): CredentialRow => ({ name, value: auth.secrets[name] ?? '' }));
  const names = new Set(asked.map(({ name }) => name));
  return (
    <div>
      <CredentialInputs
        authType={authType}
        isRejected={isRejected}
        rows={auth.way === 'api_key' ? [...auth.headers, ...asked] : asked}
        onChange={(rows) =>
          onChange({
            headers: auth.way === 'api_key' ? rows.filter(({ name }) => !names.has(name)) : auth.headers,
            secrets: {
              ...auth.secrets,
              ...Object.fromEntries(rows.filter(({ name }) => names.has(name)).map(({ name, value }) => [name, value])),
            },
          })
        }
      />
      <Text c="dimmed" size="sm" mt={6}>
        {auth.way === 'basic' && serviceFormMessages.oneHalf} {serviceFormMessages.kept}
      </Text>
    </div>
  );
}
