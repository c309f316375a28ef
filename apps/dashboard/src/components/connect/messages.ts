/** Words of what connects services and agents: used by their pages and by the first-run setup. */
export const messages = {
  snippets: {
    label: 'Language',
    code: 'Code',
    hints: {
      curl: 'Needs a POSIX shell and curl.',
      typescript: 'Node 20 or later, as an ES module. No packages.',
      python: 'Python 3.8 or later. No packages.',
      env: 'For programs that read their settings from the environment.',
    },
  },
  key: {
    title: (agent: string) => `The key of ${agent}`,
    once: 'Copy it now. The gateway keeps a hash of it, so it is shown this once only.',
    label: 'Agent key',
    copy: 'Copy key',
    stored: 'I stored the key',
    done: 'Done',
    start: 'Make a first request',
    leave: 'The key is shown only once. Leave without it?',
  },
  first: {
    waiting: 'Waiting for the first request…',
    hint: 'Nothing yet. Is the gateway’s address reachable from there, and is the key sent in the header Agent-Key?',
    arrived: (request: string) => `The first request arrived: ${request}`,
    held: 'It waits for your decision',
    see: 'See it',
  },
  service: {
    name: 'Name',
    namePlaceholder: 'Stripe',
    baseUrl: 'Base URL',
    baseUrlPlaceholder: 'https://api.example.com/v1',
    reach: (pattern: string) => `Agents may reach ${pattern}`,
    plainHttp: 'Unencrypted: credentials travel in the clear.',
    faults: {
      form: 'Begin with https:// and a host name.',
      extra: 'Without user name, query (?) or fragment (#).',
    },
    auth: 'How it is authenticated',
    authTypes: {
      bearer: { title: 'Bearer token', text: 'Authorization: Bearer ••••' },
      api_key: { title: 'API key', text: 'One or more headers, such as X-API-Key' },
      basic: { title: 'User and password', text: 'Authorization: Basic ••••' },
      oauth2: { title: 'OAuth 2 access token', text: 'Authorization: Bearer ••••' },
    },
    oauthNote: 'The gateway does not refresh access tokens: replace the token here before it expires.',
    credentials: 'Credentials',
    encrypted: 'Stored encrypted. Nobody can read them back, here or anywhere.',
    labels: { token: 'Token', username: 'User name', password: 'Password', access_token: 'Access token' } as Record<
      string,
      string
    >,
    header: 'Header',
    value: 'Value',
    addHeader: 'Add a header',
    removeHeader: (name: string) => `Remove ${name || 'this header'}`,
    authChip: { bearer: 'Bearer', api_key: 'API key', basic: 'Basic', oauth2: 'OAuth 2' },
  },
  access: {
    label: 'Services',
    filter: 'Find a service',
    none: 'No service by that name',
    can: 'Can reach',
    nothing: 'Choose at least one service.',
  },
} as const;
