import { BASE_URL_MAX, SERVICE_NAME_MAX } from '#contracts/limits';
import { RULE_PRESETS } from '#contracts/rule-presets';
import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { openApiHints } from '../../lib/openapi-hints.js';
import {
  askedCredentials,
  credentialsOf,
  emptyAuth,
  hasCredentials,
  settingsOf,
  settingsProblem,
  type AuthDraft,
} from './auth-draft.js';
import { AuthSettingsFields } from './auth-settings.js';
import { CardChoice } from './card-choice.js';
import type { ConnectProps } from './connect-props.js';
import { CredentialInputs } from './credential-inputs.js';
import type { CredentialRow } from './credential-row.js';
import { messages } from './messages.js';
import { OpenApiInput } from './open-api-input.js';
import { SubmitButton } from '../submit-button.js';
import { WAYS } from './ways.js';
import { messages as shared } from '../../lib/messages.js';

/** Which requests need approval whatever their score (docs/reference/risk.md#presets). */
const ASK = { delete: 'ask-before-delete', write: 'ask-before-write', score: null } as const;

/** The normalized base URL, or null if the gateway would not accept it. */
export function normalBaseUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const fine = /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  return fine ? url : null;
}

/** The form for an API that the catalogue does not have. */
export function ServiceForm({ submitLabel, busy, onSubmit }: ConnectProps) {
  const [name, setName] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [auth, setAuth] = useState(emptyAuth);
  const [ask, setAsk] = useState<keyof typeof ASK>('delete');
  const [openapi, setOpenapi] = useState<string | null>(null);

  const url = normalBaseUrl(baseUrl.trim());
  const settings = settingsOf(auth);
  const change = (part: Partial<AuthDraft>) => setAuth({ ...auth, ...part });
  const why =
    name.trim() === ''
      ? shared.why.name(1)
      : url === null
        ? shared.why.url
        : (settingsProblem(auth, url) ?? (hasCredentials(auth) ? null : shared.why.credentials));

  function takeOpenApi(content: string | null) {
    setOpenapi(content);
    if (!content) return;
    const hints = openApiHints(content);
    if (!name && hints.name) setName(hints.name.slice(0, SERVICE_NAME_MAX));
    if (!baseUrl && hints.baseUrl) setBaseUrl(hints.baseUrl);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (why !== null) return;
        onSubmit({
          service: { name: name.trim(), baseUrl: baseUrl.trim(), ...settings, credentials: credentialsOf(auth) },
          rules: RULE_PRESETS.filter(({ key }) => key === ASK[ask]).flatMap(({ rules }) => [...rules]),
          openapi,
          testPath: null,
        });
      }}
    >
      <Stack gap="lg">
        <Group align="flex-start">
          <TextInput
            flex="1 1 180px"
            label={messages.name}
            placeholder={messages.namePlaceholder}
            maxLength={SERVICE_NAME_MAX}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="off"
          />
          <TextInput
            flex="2 1 240px"
            label={messages.baseUrl}
            type="url"
            inputMode="url"
            placeholder="https://api.example.com/v1"
            maxLength={BASE_URL_MAX}
            value={baseUrl}
            onChange={(event) => setBaseUrl(event.currentTarget.value)}
            error={baseUrl !== '' && !url ? messages.badUrl : undefined}
            autoComplete="off"
            spellCheck={false}
          />
        </Group>
        <Text c="dimmed" size="sm" mt={-8}>
          {url ? messages.reach(`${url.host}${url.pathname.replace(/\/$/, '')}/*`) : messages.baseUrlHint}
          {url?.protocol === 'http:' && (
            <Text span inherit fw="bold" c="var(--agw-high)">
              {' '}
              {messages.plainHttp}
            </Text>
          )}
        </Text>
        <CardChoice
          label={messages.auth}
          value={auth.way}
          // Clears the secrets of the earlier way, because their fields are hidden now.
          onChange={(way) => change({ way, secrets: {}, headers: emptyAuth.headers })}
          options={WAYS.map((value) => ({ value, ...messages.ways[value] }))}
        />
        <AuthSettingsFields draft={auth} onChange={change} />
        {auth.way !== 'none' && <Credentials auth={auth} onChange={change} />}
        <CardChoice
          label={messages.ask}
          value={ask}
          onChange={setAsk}
          options={(['delete', 'write', 'score'] as const).map((value) => ({ value, ...messages.asks[value] }))}
        />
        <OpenApiInput content={openapi} onChange={takeOpenApi} />
        <Group>
          <SubmitButton size="md" why={why} loading={busy}>
            {submitLabel}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}

function Credentials({ auth, onChange }: { auth: AuthDraft; onChange: (change: Partial<AuthDraft>) => void }) {
  const { authType } = settingsOf(auth);
  const asked = askedCredentials(auth).map(({ name }): CredentialRow => ({ name, value: auth.secrets[name] ?? '' }));
  const names = new Set(asked.map(({ name }) => name));
  return (
    <div>
      <CredentialInputs
        authType={authType}
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
        {auth.way === 'basic' && messages.oneHalf} {messages.kept}
      </Text>
    </div>
  );
}
