import { basic, bearer, clientCredentials, connect, keyHeader } from '../options.js';
import type { CatalogueEntry } from '../schema.js';

/** Customers, sales, support. */
export const customers: CatalogueEntry[] = [
  {
    id: 'hubspot',
    name: 'HubSpot',
    keywords: ['crm', 'contacts', 'deals', 'marketing', 'sales'],
    baseUrl: 'https://api.hubapi.com',
    docsUrl: 'https://developers.hubspot.com/docs/api-reference/overview',
    auth: [
      bearer('Private app token', 'https://app.hubspot.com/l/private-apps', 'pat-…'),
      connect(
        'https://app.hubspot.com/l/developer-overview',
        'https://app.hubspot.com/oauth/authorize',
        'https://api.hubapi.com/oauth/v1/token',
        ['oauth', 'crm.objects.contacts.read'],
      ),
    ],
    testPath: '/account-info/v3/details',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'salesforce',
    name: 'Salesforce',
    keywords: ['crm', 'accounts', 'opportunities', 'leads', 'sales'],
    baseUrl: 'https://<domain>.my.salesforce.com',
    placeholders: [{ name: 'domain', label: 'My Domain', example: 'acme' }],
    docsUrl: 'https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/intro_rest.htm',
    auth: [
      connect(
        'https://<domain>.my.salesforce.com/lightning/setup/NavigationMenus/home',
        'https://<domain>.my.salesforce.com/services/oauth2/authorize',
        'https://<domain>.my.salesforce.com/services/oauth2/token',
        ['api', 'refresh_token'],
      ),
      clientCredentials(
        'https://<domain>.my.salesforce.com/lightning/setup/NavigationMenus/home',
        'https://<domain>.my.salesforce.com/services/oauth2/token',
        [],
        { tokenAuth: 'post' },
      ),
    ],
    testPath: '/services/data/v60.0/limits',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'pipedrive',
    name: 'Pipedrive',
    keywords: ['crm', 'deals', 'sales'],
    baseUrl: 'https://api.pipedrive.com/v1',
    docsUrl: 'https://developers.pipedrive.com/docs/api/v1',
    auth: [
      keyHeader('x-api-token', 'API token', 'https://app.pipedrive.com/settings/api'),
      connect(
        'https://app.pipedrive.com/developer-hub',
        'https://oauth.pipedrive.com/oauth/authorize',
        'https://oauth.pipedrive.com/oauth/token',
        [],
        { tokenAuth: 'basic' },
      ),
    ],
    testPath: '/users/me',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'intercom',
    name: 'Intercom',
    keywords: ['support', 'conversations', 'chat', 'customers'],
    baseUrl: 'https://api.intercom.io',
    docsUrl: 'https://developers.intercom.com/docs/references/rest-api/api.intercom.io/',
    auth: [bearer('Access token', 'https://app.intercom.com/a/apps/_/developer-hub')],
    testPath: '/me',
    presets: ['reads-pass', 'ask-before-delete'],
    rules: [
      {
        name: 'Ask before replies to customers',
        effect: 'require_approval',
        methods: ['POST'],
        pathPattern: '/conversations/*/reply',
      },
    ],
  },
  {
    id: 'zendesk',
    name: 'Zendesk',
    keywords: ['support', 'tickets', 'help desk', 'customers'],
    baseUrl: 'https://<subdomain>.zendesk.com/api/v2',
    placeholders: [{ name: 'subdomain', label: 'Subdomain', example: 'acme' }],
    docsUrl: 'https://developer.zendesk.com/api-reference/',
    auth: [
      basic(
        'API token',
        'https://<subdomain>.zendesk.com/admin/apps-integrations/apis/api-tokens',
        { label: 'E-mail, then /token', hint: 'ana@acme.com/token' },
        'API token',
      ),
    ],
    testPath: '/users/me.json',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'freshdesk',
    name: 'Freshdesk',
    keywords: ['support', 'tickets', 'help desk', 'customers'],
    baseUrl: 'https://<domain>.freshdesk.com/api/v2',
    placeholders: [{ name: 'domain', label: 'Domain', example: 'acme' }],
    docsUrl: 'https://developers.freshdesk.com/api/',
    auth: [
      basic('API key', 'https://<domain>.freshdesk.com/a/profiles/me', 'API key', {
        label: 'Password',
        hint: 'Any text',
        value: 'X',
      }),
    ],
    testPath: '/agents/me',
    presets: ['reads-pass', 'ask-before-delete'],
    rules: [
      {
        name: 'Ask before replies to customers',
        effect: 'require_approval',
        methods: ['POST'],
        pathPattern: '/tickets/*/reply',
      },
    ],
  },
  {
    id: 'calendly',
    name: 'Calendly',
    keywords: ['meetings', 'scheduling', 'calendar'],
    baseUrl: 'https://api.calendly.com',
    docsUrl: 'https://developer.calendly.com/api-docs',
    auth: [
      bearer('Personal access token', 'https://calendly.com/integrations/api_webhooks'),
      connect(
        'https://developer.calendly.com/console/apps',
        'https://auth.calendly.com/oauth/authorize',
        'https://auth.calendly.com/oauth/token',
        [],
        { tokenAuth: 'basic' },
      ),
    ],
    testPath: '/users/me',
    presets: ['reads-pass', 'ask-before-write'],
  },
  {
    id: 'typeform',
    name: 'Typeform',
    keywords: ['forms', 'surveys', 'responses'],
    baseUrl: 'https://api.typeform.com',
    docsUrl: 'https://www.typeform.com/developers/',
    auth: [bearer('Personal token', 'https://admin.typeform.com/user/tokens', 'tfp_…')],
    testPath: '/me',
    presets: ['reads-pass', 'ask-before-delete'],
  },
];
