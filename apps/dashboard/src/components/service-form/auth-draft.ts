import type { AuthSettings, CreateServiceRequest, OAuthSettings, Service } from '#contracts';
import type { CredentialRow } from './credential-row.js';
import { serviceFormMessages } from './messages.js';
import type { Way } from './ways.js';

export interface TemplateRow extends CredentialRow {
  place: 'headers' | 'query';
}

export interface OAuthDraft extends Pick<OAuthSettings, 'grant' | 'tokenAuth'>, Required<Pick<OAuthSettings, 'pkce'>> {
  authorizationUrl: string;
  tokenUrl: string;
  clientId: string;
  /** Separated by spaces. */
  scopes: string;
  extraParams: CredentialRow[];
}

/** The values that a person has typed and chosen about the authentication of a service. */
export interface AuthDraft {
  way: Way;
  /** Headers with their keys, for `api_key`. */
  headers: CredentialRow[];
  /** The other credentials, by name. */
  secrets: Readonly<Record<string, string>>;
  templates: TemplateRow[];
  aws: { region: string; service: string };
  oauth: OAuthDraft;
  /** Whether the API asks for a client certificate. */
  certificate: boolean;
}

export const emptyAuth: AuthDraft = {
  way: 'bearer',
  headers: [{ name: 'X-API-Key', value: '' }],
  secrets: {},
  templates: [{ place: 'headers', name: 'Authorization', value: 'Token {{token}}' }],
  aws: { region: '', service: '' },
  oauth: {
    grant: 'authorization_code',
    tokenAuth: 'basic',
    pkce: 'S256',
    authorizationUrl: '',
    tokenUrl: '',
    clientId: '',
    scopes: '',
    extraParams: [],
  },
  certificate: false,
};

/** As in the API: letters, digits, dots, underscores and hyphens. */
const KEY = /\{\{([A-Za-z0-9_.-]{1,128})\}\}/g;
const CERTIFICATE = ['client_cert', 'client_key'];

const usedTemplates = ({ templates }: AuthDraft): TemplateRow[] => templates.filter(({ name }) => name.trim() !== '');

/** The names of the credentials that the templates contain. */
const templateKeys = (draft: AuthDraft): string[] => [
  ...new Set(usedTemplates(draft).flatMap(({ value }) => Array.from(value.matchAll(KEY), ([, key]) => key!))),
];

/** The credentials to ask for, besides the headers of `api_key`. */
export function askedCredentials(draft: AuthDraft): { name: string; optional: boolean }[] {
  const needed = (...names: string[]) => names.map((name) => ({ name, optional: false }));
  const optional = (...names: string[]) => names.map((name) => ({ name, optional: true }));
  const own = {
    bearer: () => needed('token'),
    api_key: () => [],
    basic: () => optional('username', 'password'),
    oauth: () =>
      draft.oauth.grant === 'authorization_code' ? optional('client_secret', 'refresh_token') : needed('client_secret'),
    custom: () => needed(...templateKeys(draft)),
    aws: () => [...needed('access_key_id', 'secret_access_key'), ...optional('session_token')],
    access_token: () => needed('access_token'),
    none: () => [],
  }[draft.way]();
  return draft.certificate && draft.way !== 'none' ? [...own, ...needed(...CERTIFICATE)] : own;
}

/** The credentials to store, by name. A password can be empty, and so can a user name. */
export function toCredentials(draft: AuthDraft): Record<string, string> {
  const headers = draft.way === 'api_key' ? draft.headers : [];
  const named = headers
    .filter(({ name, value }) => name.trim() !== '' && value !== '')
    .map(({ name, value }): [string, string] => [storedAs(name), value]);
  const asked = askedCredentials(draft)
    .map(({ name }): [string, string] => [name, draft.secrets[name] ?? ''])
    .filter(([name, value]) => value !== '' || (draft.way === 'basic' && !CERTIFICATE.includes(name)));
  return Object.fromEntries([...named, ...asked]);
}

/** `X-API-Key` is stored as `api_key`. */
export const storedAs = (header: string): string =>
  header.trim().toLowerCase() === 'x-api-key' ? 'api_key' : header.trim();

/** The settings without the credentials. Null where there are none, so that they also replace other settings. */
export function toAuthSettings(draft: AuthDraft): Required<Pick<CreateServiceRequest, 'authType' | 'auth' | 'oauth'>> {
  const { way, aws, certificate } = draft;
  const place = (wanted: TemplateRow['place']) =>
    usedTemplates(draft)
      .filter((row) => row.place === wanted)
      .map(({ name, value }): [string, string] => [name.trim(), value.trim()]);
  const group = (wanted: TemplateRow['place']) =>
    place(wanted).length > 0 && { [wanted]: Object.fromEntries(place(wanted)) };
  const auth: AuthSettings = {
    ...(way === 'custom' && { ...group('headers'), ...group('query') }),
    ...(way === 'aws' && { aws: { region: aws.region.trim(), service: aws.service.trim() } }),
    ...(certificate && way !== 'none' && { clientCertificate: true }),
  };
  return {
    authType: way === 'oauth' || way === 'access_token' ? 'oauth2' : way === 'aws' ? 'custom' : way,
    auth: Object.keys(auth).length > 0 ? auth : null,
    oauth: way === 'oauth' ? toOAuthSettings(draft.oauth) : null,
  };
}

function toOAuthSettings({
  grant,
  tokenAuth,
  pkce,
  authorizationUrl,
  tokenUrl,
  clientId,
  scopes,
  extraParams,
}: OAuthDraft) {
  const extra = extraParams.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]);
  return {
    grant,
    tokenAuth,
    ...(grant === 'authorization_code' && { authorizationUrl: authorizationUrl.trim() }),
    // The default is left out, as in services that were made before this setting.
    ...(grant === 'authorization_code' && pkce === 'none' && { pkce }),
    tokenUrl: tokenUrl.trim(),
    clientId: clientId.trim(),
    scopes: scopes.split(/\s+/).filter(Boolean),
    ...(extra.length > 0 && { extraParams: Object.fromEntries(extra) as Record<string, string> }),
  } satisfies OAuthSettings;
}

/** The first setting that is missing, by its label. Null: the settings are complete. */
export function settingsGap(draft: AuthDraft): string | null {
  const { way, oauth, aws } = draft;
  const fields: [label: string, isFine: boolean][] = [
    ...(way === 'oauth'
      ? ([
          [
            serviceFormMessages.oauth.authorizationUrl,
            oauth.grant === 'client_credentials' || URL.canParse(oauth.authorizationUrl),
          ],
          [serviceFormMessages.oauth.tokenUrl, URL.canParse(oauth.tokenUrl)],
          [serviceFormMessages.clientId, oauth.clientId.trim() !== ''],
        ] satisfies [string, boolean][])
      : []),
    ...(way === 'custom'
      ? ([
          [serviceFormMessages.template.title, draft.certificate || usedTemplates(draft).length > 0],
          [serviceFormMessages.template.value, usedTemplates(draft).every(({ value }) => value.trim() !== '')],
        ] satisfies [string, boolean][])
      : []),
    ...(way === 'aws'
      ? ([
          [serviceFormMessages.aws.region, aws.region.trim() !== ''],
          [serviceFormMessages.aws.service, aws.service.trim() !== ''],
        ] satisfies [string, boolean][])
      : []),
  ];
  return fields.find(([, isFine]) => !isFine)?.[0] ?? null;
}

/** Why the settings can't be saved, as a sentence. Null: they can be. */
export function settingsProblem(draft: AuthDraft, baseUrl: URL): string | null {
  const gap = settingsGap(draft);
  if (gap !== null) return serviceFormMessages.enter(gap);
  const isCertain = !draft.certificate || draft.way === 'none' || baseUrl.protocol === 'https:';
  return isCertain ? null : serviceFormMessages.certificate.needsHttps;
}

/** Whether the draft has all credentials that this way to authenticate needs. */
export function hasCredentials(draft: AuthDraft): boolean {
  const { way, headers, secrets } = draft;
  if (way === 'api_key' && !headers.every(({ name, value }) => name.trim() !== '' && value !== '')) return false;
  if (way === 'basic' && !secrets.username && !secrets.password) return false;
  return askedCredentials(draft).every(({ name, optional }) => optional || (secrets[name] ?? '') !== '');
}

/** The settings of an existing service, to edit. */
export function toAuthDraft({ authType, auth, oauth, credentials }: Service): AuthDraft {
  const rows = (place: TemplateRow['place']) =>
    Object.entries(auth?.[place] ?? {}).map(([name, value]): TemplateRow => ({ place, name, value }));
  const templates = [...rows('headers'), ...rows('query')];
  const [first = 'token'] = Object.keys(credentials).filter((name) => !CERTIFICATE.includes(name));
  return {
    ...emptyAuth,
    way: authType === 'oauth2' ? (oauth ? 'oauth' : 'access_token') : auth?.aws ? 'aws' : authType,
    // A service that becomes `custom` can use the credential that it has.
    templates:
      authType === 'custom' ? templates : [{ place: 'headers', name: 'Authorization', value: `Bearer {{${first}}}` }],
    aws: auth?.aws ?? emptyAuth.aws,
    oauth: oauth
      ? {
          ...oauth,
          pkce: oauth.pkce ?? 'S256',
          authorizationUrl: oauth.authorizationUrl ?? '',
          scopes: oauth.scopes.join(' '),
          extraParams: Object.entries(oauth.extraParams ?? {}).map(([name, value]) => ({ name, value })),
        }
      : emptyAuth.oauth,
    certificate: auth?.clientCertificate ?? false,
  };
}
