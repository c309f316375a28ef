import { z } from 'zod';

/**
 * The form of an entry of the catalogue. A text may contain placeholders, `<site>`, which the administrator fills in.
 * Credentials in templates are `{{name}}`, as in `auth` of a service.
 */
const PLACEHOLDER = /<([a-z]+)>/g;
const TEMPLATE_KEY = /\{\{([a-z_]+)\}\}/g;

const httpsUrl = z.string().regex(/^https:\/\/[^\s]+$/, 'must be an https URL');
const shortText = z.string().min(1).max(200);
const HTTP_METHOD = z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

const placeholder = z.strictObject({
  /** The form of its name: lower case letters. */
  name: z.string().regex(/^[a-z]+$/),
  label: shortText,
  example: shortText,
});

const credential = z.strictObject({
  /** The name of the stored credential. For `api_key` it is the header. */
  name: z.string().min(1).max(100),
  label: shortText,
  /** A description of the value, or its place on the provider's pages. */
  hint: shortText.optional(),
  /** The value, where the provider fixes it (a user name that is always the same). */
  value: z.string().optional(),
});

const oauth = z.strictObject({
  grant: z.enum(['authorization_code', 'client_credentials']),
  authorizationUrl: httpsUrl.optional(),
  tokenUrl: httpsUrl,
  scopes: z.array(shortText),
  /** How the client authenticates at the token endpoint. */
  tokenAuth: z.enum(['basic', 'post']),
  /** Parameters that the provider needs besides those of OAuth 2, for example to return a refresh token. */
  extraParams: z.record(z.string(), z.string()).optional(),
});

const authOption = z.strictObject({
  /** The name of the credential: "Fine-grained personal access token". */
  title: shortText,
  authType: z.enum(['none', 'bearer', 'basic', 'api_key', 'oauth2', 'custom']),
  auth: z
    .strictObject({
      headers: z.record(z.string(), z.string()).optional(),
      query: z.record(z.string(), z.string()).optional(),
      aws: z.strictObject({ region: z.string(), service: z.string() }).optional(),
    })
    .optional(),
  oauth: oauth.optional(),
  credentials: z.array(credential),
  /** The provider's page where the credential, or the OAuth client, is created. */
  createAt: httpsUrl,
});

const rule = z.strictObject({
  name: shortText,
  effect: z.enum(['require_approval', 'deny']),
  methods: z.array(HTTP_METHOD).optional(),
  pathPattern: z.string().startsWith('/').optional(),
});

export const catalogueEntry = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]+$/),
    name: shortText,
    /** Words that people search for, besides the name. */
    keywords: z.array(z.string().regex(/^[a-z0-9 ]+$/)),
    baseUrl: httpsUrl,
    placeholders: z.array(placeholder).optional(),
    /** Where the API is documented. */
    docsUrl: httpsUrl,
    /** The ways to authenticate; the first is the one to offer. */
    auth: z.array(authOption).min(1),
    /** A GET that changes nothing and fails without a valid credential. Below the base URL. */
    testPath: z.string().startsWith('/'),
    /** Keys of `RULE_PRESETS` that fit. */
    presets: z.array(z.enum(['ask-before-delete', 'ask-before-write', 'reads-pass'])),
    /** Rules for operations of this API that always need a person: money, messages to people, access. */
    rules: z.array(rule).optional(),
  })
  .superRefine((entry, context) => {
    const fault = (message: string): void => context.addIssue({ code: 'custom', message });
    const declared = new Set(entry.placeholders?.map(({ name }) => name));
    const used = namesIn(JSON.stringify({ ...entry, placeholders: [] }), PLACEHOLDER);
    for (const name of used) if (!declared.has(name)) fault(`<${name}> is not among the placeholders`);
    for (const name of declared) if (!used.has(name)) fault(`the placeholder ${name} is not used`);
    if (entry.baseUrl.endsWith('/')) fault('baseUrl must not end with /');
    for (const option of entry.auth) for (const text of authFaults(option)) fault(`${option.title}: ${text}`);
  });

export type CatalogueEntry = z.infer<typeof catalogueEntry>;
export type CatalogueAuth = z.infer<typeof authOption>;
export type CatalogueRule = z.infer<typeof rule>;

function* authFaults({ authType, auth, oauth: settings, credentials }: z.infer<typeof authOption>): Iterable<string> {
  const stored = new Set(credentials.map(({ name }) => name));
  for (const name of namesIn(JSON.stringify(auth ?? {}), TEMPLATE_KEY))
    if (!stored.has(name)) yield `{{${name}}} is not among the credentials`;
  if ((authType === 'custom') !== (auth !== undefined)) yield 'custom has auth, and only custom has it';
  if (settings !== undefined && authType !== 'oauth2') yield 'only oauth2 has oauth';
  if (settings?.grant === 'authorization_code' && settings.authorizationUrl === undefined)
    yield 'authorization_code needs an authorizationUrl';
  const needed = { bearer: ['token'], basic: ['username', 'password'], oauth2: ['client_secret'] };
  for (const name of needed[authType as keyof typeof needed] ?? [])
    if (!stored.has(name)) yield `needs the credential ${name}`;
}

const namesIn = (text: string, pattern: RegExp): Set<string> =>
  new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name));
