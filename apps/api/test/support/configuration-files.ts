import { stringify } from 'yaml';
import type { Configuration, ConfigurationChange, ImportResult, Workspace } from '#contracts';
import { call } from './accounts.js';
import type { Gateway } from './gateway.js';

type Changes = Omit<ImportResult, 'digest'>;

export const NOTHING: Changes = { created: [], changed: [], deleted: [] };

export const SHOP: Configuration = {
  version: 1,
  settings: {
    separationOfDuties: true,
    confirmFromRisk: 0.8,
    confirmEffects: ['money'],
    approveInNotificationsBelow: 0.3,
    approverRuleMaxHours: 12,
    undoSeconds: 5,
  },
  services: [
    {
      name: 'Shop',
      baseUrl: 'https://shop.example.com/v1',
      authType: 'custom',
      auth: { headers: { Authorization: 'token {{key}}' }, query: { q: '{{key}}' } },
      rotateEveryDays: 90,
      baseUrlDefaults: { wait: 5 },
      documentation: [{ title: 'Notes', type: 'markdown', content: '# Careful\n' }],
      rules: [
        {
          name: 'Ask before writes',
          effect: 'require_approval',
          methods: ['POST', 'DELETE'],
          approvers: ['ada@example.com'],
        },
        { name: 'Only the bot', effect: 'deny', pathPattern: '/admin/**', agents: ['support-bot'] },
      ],
    },
    { name: 'Bank', baseUrl: 'https://bank.example.com', authType: 'bearer', documentation: [], rules: [] },
  ],
  agents: [
    { name: 'support-bot', services: ['Shop', 'Bank'], addresses: ['192.0.2.0/24'], keyLifetimeDays: 30 },
    { name: 'idle-bot', services: [], isActive: false },
  ],
};

/** Settings of a service that connects with OAuth. */
export const OAUTH = {
  grant: 'authorization_code' as const,
  authorizationUrl: 'https://accounts.example.com/auth',
  tokenUrl: 'https://accounts.example.com/token',
  clientId: 'gateway',
  scopes: ['read'],
  tokenAuth: 'post' as const,
  pkce: 'none' as const,
};

export const toYaml = (file: object | string): string =>
  typeof file === 'string' ? file : stringify(file, { aliasDuplicateObjects: false });

/** Imports and exports of the gateway's owner. @param gateway the current one, which starts before the first call */
export function configurationFiles(gateway: () => Gateway) {
  const newWorkspace = async (): Promise<number> =>
    (await gateway().admin<Workspace>('POST /workspaces', { name: 'Another' })).id;

  async function send(method: string, path: string, body?: string, type = 'application/yaml', token = gateway().token) {
    const headers = { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': type }) };
    const response = await fetch(gateway().url + path, { method, headers, body });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async function exported(id: number): Promise<string> {
    const { status, text } = await send('GET', `/workspaces/${id}/export`);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return text;
  }

  /** The answer with only the kinds and the names. */
  async function imported(id: number, file: Configuration | string, query = ''): Promise<Changes> {
    const { created, changed, deleted } = await imports(id, file, query);
    const named = (changes: ConfigurationChange[]): ConfigurationChange[] =>
      changes.map(({ kind, name }) => ({ kind, name }));
    return { created: named(created), changed: named(changed), deleted: named(deleted) };
  }

  async function imports(id: number, file: Configuration | string, query = ''): Promise<ImportResult> {
    const { status, text } = await send('PUT', `/workspaces/${id}/import${query}`, toYaml(file));
    if (status !== 200) throw new Error(`${status} ${text}`);
    return JSON.parse(text) as ImportResult;
  }

  const inWorkspace = <T>(id: number, route: string, body?: object) =>
    call<T>(gateway().app, route, { token: gateway().token, body, headers: { 'X-Workspace-Id': String(id) } });

  return { newWorkspace, send, exported, imports, imported, inWorkspace };
}
