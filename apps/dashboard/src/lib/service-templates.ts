import type { AuthType } from '#contracts/states';

/** Well-known APIs: base URL, type of credential, and a harmless request that tests the credential. */
export interface ServiceTemplate {
  name: string;
  baseUrl: string;
  authType: AuthType;
  /** Which credential to create. */
  hint: string;
  testPath: string;
}

export const serviceTemplates: readonly ServiceTemplate[] = [
  {
    name: 'GitHub',
    baseUrl: 'https://api.github.com',
    authType: 'bearer',
    hint: 'A fine-grained personal access token',
    testPath: '/user',
  },
  {
    name: 'Stripe',
    baseUrl: 'https://api.stripe.com/v1',
    authType: 'bearer',
    hint: 'A restricted key, rk_…',
    testPath: '/balance',
  },
  {
    name: 'Slack',
    baseUrl: 'https://slack.com/api',
    authType: 'bearer',
    hint: 'A bot token, xoxb-…',
    testPath: '/auth.test',
  },
  {
    name: 'Notion',
    baseUrl: 'https://api.notion.com/v1',
    authType: 'bearer',
    hint: 'An internal integration secret',
    testPath: '/users/me',
  },
  {
    name: 'GitLab',
    baseUrl: 'https://gitlab.com/api/v4',
    authType: 'bearer',
    hint: 'A project or personal access token',
    testPath: '/user',
  },
  {
    name: 'Jira',
    baseUrl: 'https://your-site.atlassian.net/rest/api/3',
    authType: 'basic',
    hint: 'Your e-mail and an API token',
    testPath: '/myself',
  },
  {
    name: 'HubSpot',
    baseUrl: 'https://api.hubapi.com',
    authType: 'bearer',
    hint: 'A private app token',
    testPath: '/account-info/v3/details',
  },
  {
    name: 'Cloudflare',
    baseUrl: 'https://api.cloudflare.com/client/v4',
    authType: 'bearer',
    hint: 'A scoped API token',
    testPath: '/user/tokens/verify',
  },
];
