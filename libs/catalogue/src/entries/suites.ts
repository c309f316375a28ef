import { clientCredentials, connect } from '../options.js';
import type { CatalogueAuth, CatalogueEntry } from '../schema.js';

/**
 * Google returns a refresh token only for offline access (`access_type`). It returns one again at a later sign-in only
 * if it must ask for consent again (`prompt`).
 */
const google = (...scopes: string[]): CatalogueAuth =>
  connect(
    'https://console.cloud.google.com/apis/credentials',
    'https://accounts.google.com/o/oauth2/v2/auth',
    'https://oauth2.googleapis.com/token',
    scopes.map((scope) => `https://www.googleapis.com/auth/${scope}`),
    { extraParams: { access_type: 'offline', prompt: 'consent' } },
  );

const ENTRA = 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade';
const MICROSOFT = 'https://login.microsoftonline.com/<tenant>/oauth2/v2.0';

/** Google and Microsoft. */
export const suites: CatalogueEntry[] = [
  {
    id: 'gmail',
    name: 'Gmail',
    keywords: ['google', 'email', 'mail'],
    baseUrl: 'https://gmail.googleapis.com/gmail/v1',
    docsUrl: 'https://developers.google.com/workspace/gmail/api/reference/rest',
    auth: [google('gmail.modify')],
    testPath: '/users/me/profile',
    presets: ['reads-pass', 'ask-before-delete'],
    rules: [
      {
        name: 'Ask before mail is sent',
        effect: 'require_approval',
        methods: ['POST'],
        pathPattern: '/users/*/messages/send',
      },
      {
        name: 'Ask before drafts are sent',
        effect: 'require_approval',
        methods: ['POST'],
        pathPattern: '/users/*/drafts/send',
      },
    ],
  },
  {
    id: 'google-calendar',
    name: 'Google Calendar',
    keywords: ['google', 'events', 'meetings'],
    baseUrl: 'https://www.googleapis.com/calendar/v3',
    docsUrl: 'https://developers.google.com/workspace/calendar/api/v3/reference',
    auth: [google('calendar')],
    testPath: '/users/me/calendarList?maxResults=1',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'google-drive',
    name: 'Google Drive',
    keywords: ['google', 'files', 'documents', 'storage'],
    baseUrl: 'https://www.googleapis.com/drive/v3',
    docsUrl: 'https://developers.google.com/workspace/drive/api/reference/rest/v3',
    auth: [google('drive')],
    testPath: '/about?fields=user',
    presets: ['reads-pass', 'ask-before-delete'],
    rules: [
      {
        name: 'Ask before files are shared',
        effect: 'require_approval',
        methods: ['POST', 'PATCH'],
        pathPattern: '/files/*/permissions**',
      },
    ],
  },
  {
    id: 'google-tasks',
    name: 'Google Tasks',
    keywords: ['google', 'to do'],
    baseUrl: 'https://tasks.googleapis.com/tasks/v1',
    docsUrl: 'https://developers.google.com/workspace/tasks/reference/rest',
    auth: [google('tasks')],
    testPath: '/users/@me/lists?maxResults=1',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'microsoft-graph',
    name: 'Microsoft Graph',
    keywords: ['outlook', 'teams', 'onedrive', 'sharepoint', 'office 365', 'mail', 'calendar', 'files'],
    baseUrl: 'https://graph.microsoft.com/v1.0',
    placeholders: [{ name: 'tenant', label: 'Tenant ID, or common', example: 'acme.onmicrosoft.com' }],
    docsUrl: 'https://learn.microsoft.com/graph/api/overview',
    auth: [
      connect(ENTRA, `${MICROSOFT}/authorize`, `${MICROSOFT}/token`, [
        'offline_access',
        'User.Read',
        'Mail.Read',
        'Calendars.Read',
      ]),
      clientCredentials(ENTRA, `${MICROSOFT}/token`, ['https://graph.microsoft.com/.default'], { tokenAuth: 'post' }),
    ],
    testPath: '/organization',
    presets: ['reads-pass', 'ask-before-delete'],
    rules: [
      { name: 'Ask before mail is sent', effect: 'require_approval', methods: ['POST'], pathPattern: '/**/sendMail' },
      {
        name: 'Ask before drafts are sent',
        effect: 'require_approval',
        methods: ['POST'],
        pathPattern: '/**/messages/*/send',
      },
    ],
  },
];
