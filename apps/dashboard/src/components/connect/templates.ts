import type { AuthType } from '#contracts/states';

/** APIs that people connect first. `testPath` answers 2xx to good credentials and changes nothing. */
export interface ServiceTemplate {
  key: string;
  name: string;
  baseUrl: string;
  authType: AuthType;
  /** Of an API key: the header. */
  header?: string;
  testPath: string;
  /** Where the credential comes from. */
  hint: string;
}

export const SERVICE_TEMPLATES: readonly ServiceTemplate[] = [
  {
    key: 'stripe',
    name: 'Stripe',
    baseUrl: 'https://api.stripe.com/v1',
    authType: 'bearer',
    testPath: '/balance',
    hint: 'A restricted key from Developers, API keys.',
  },
  {
    key: 'github',
    name: 'GitHub',
    baseUrl: 'https://api.github.com',
    authType: 'bearer',
    testPath: '/user',
    hint: 'A fine-grained personal access token.',
  },
  {
    key: 'gitlab',
    name: 'GitLab',
    baseUrl: 'https://gitlab.com/api/v4',
    authType: 'api_key',
    header: 'PRIVATE-TOKEN',
    testPath: '/user',
    hint: 'A project or personal access token.',
  },
  {
    key: 'slack',
    name: 'Slack',
    baseUrl: 'https://slack.com/api',
    authType: 'bearer',
    testPath: '/auth.test',
    hint: 'The bot token (xoxb-…) of your Slack app.',
  },
  {
    key: 'jira',
    name: 'Jira',
    baseUrl: 'https://your-site.atlassian.net/rest/api/3',
    authType: 'basic',
    testPath: '/myself',
    hint: 'User name is your e-mail, password an API token. Put your site into the base URL.',
  },
  {
    key: 'hubspot',
    name: 'HubSpot',
    baseUrl: 'https://api.hubapi.com',
    authType: 'bearer',
    testPath: '/account-info/v3/details',
    hint: 'The access token of a private app.',
  },
  {
    key: 'sendgrid',
    name: 'SendGrid',
    baseUrl: 'https://api.sendgrid.com/v3',
    authType: 'bearer',
    testPath: '/scopes',
    hint: 'An API key with restricted access.',
  },
  {
    key: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    authType: 'bearer',
    testPath: '/models',
    hint: 'A project API key.',
  },
];
