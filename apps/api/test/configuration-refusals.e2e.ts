import { Client } from 'pg';
import type { Configuration, CreatedAccessToken } from '#contracts';
import { login, PASSWORD, register } from './support/accounts.js';
import { configurationFiles, NOTHING, SHOP, toYaml } from './support/configuration-files.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  // Some files have rules that allow requests, and those ask for a confirmation.
  await gateway.admin('POST /auth/confirm', { password: PASSWORD });
});
afterAll(() => gateway?.close());

const { newWorkspace, send, exported, imported, inWorkspace } = configurationFiles(() => gateway);

describe('is refused, and changes nothing:', () => {
  let id: number;
  let before: string;
  beforeAll(async () => {
    id = await newWorkspace();
    await imported(id, SHOP);
    before = await exported(id);
  });

  const bad = (change: (file: Configuration) => unknown): Configuration => {
    const file = structuredClone(SHOP);
    change(file);
    // The import creates this service before it reaches the fault, so there is something to undo.
    file.services!.unshift({ name: 'First', baseUrl: 'https://first.example.com', authType: 'none' });
    return file;
  };
  const [bombs, deep] = ['a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n', `${'['.repeat(200)}${']'.repeat(200)}`];

  it.each<[string, string | object, number, string]>([
    ['no version', {}, 400, 'version'],
    ['another version', { version: 2 }, 400, 'version'],
    ['a list', '- 1\n', 400, 'Request body must be a JSON object'],
    ['no YAML', 'a: [\n', 400, 'Invalid YAML in request body'],
    ['a key twice', 'version: 1\nversion: 1\n', 400, 'Invalid YAML in request body'],
    ['an alias', bombs, 400, 'Invalid YAML in request body'],
    ['an unknown tag', 'version: !js/function 1\n', 400, 'Invalid YAML in request body'],
    ['deep nesting', `version: ${deep}`, 400, 'nested'],
    ['very deep nesting', `version: ${'['.repeat(100_000)}`, 400, 'Invalid YAML in request body'],
    ['a prototype', '__proto__: {}\nversion: 1\n', 400, '__proto__'],
    ['NUL', 'version: 1\nservices: "\\0"\n', 400, 'NUL'],
    ['too many bytes', `version: 1 #${'x'.repeat(1024 * 1024)}`, 413, '1MB'],
    ['an unknown field', bad((f) => Object.assign(f, { secrets: 1 })), 400, 'secrets: property'],
    [
      'a secret',
      bad((f) => Object.assign(f.services![0], { credentials: {} })),
      400,
      'services.1.credentials: property',
    ],
    [
      'an unknown field of a rule',
      bad((f) => Object.assign(f.services![0].rules![0], { x: 1 })),
      400,
      'services.1.rules.0.x',
    ],
    [
      'a rule with an end',
      bad((f) => Object.assign(f.services![0].rules![0], { maxUses: 1 })),
      400,
      'services.1.rules.0.maxUses',
    ],
    ['a bad base URL', bad((f) => (f.services![1].baseUrl = 'ftp://x')), 400, 'services.2: baseUrl'],
    ['a bad effect', bad((f) => (f.services![0].rules![0].effect = 'x' as never)), 400, 'services.1.rules.0.effect'],
    [
      'too many wildcards',
      bad((f) => (f.services![0].rules![0].pathPattern = '/*'.repeat(9))),
      400,
      'services.1.rules.0: pathPattern',
    ],
    [
      'guidance without an instruction',
      bad((f) => (f.services![0].rules![0].effect = 'guidance')),
      400,
      'services.1.rules.0: instruction',
    ],
    [
      'an unknown agent in a rule',
      bad((f) => (f.services![0].rules![0].agents = ['x'])),
      400,
      'services.1.rules.0: agents: there is no agent "x"',
    ],
    [
      'an unknown service of an agent',
      bad((f) => (f.agents![1].services = ['x'])),
      400,
      'agents.1: services: there is no service "x"',
    ],
    ['a bad address', bad((f) => (f.agents![1].addresses = ['x'])), 400, 'agents.1: addresses.0'],
    ['a short name', bad((f) => (f.agents![1].name = 'x')), 400, 'agents.1: name'],
    ['a service twice', bad((f) => f.services!.push(f.services![0])), 400, 'services.3.name: "Shop" is used twice'],
    ['an agent twice', bad((f) => f.agents!.push(f.agents![0])), 400, 'agents.2.name: "support-bot" is used twice'],
    ['a rule twice', bad((f) => f.services![0].rules!.push(f.services![0].rules![0])), 400, 'services.1.rules.2.name'],
    [
      'an unknown digest',
      bad((f) => (f.services![1].documentation = [{ title: 'x', type: 'text', sha256: 'a'.repeat(64) }])),
      400,
      'services.2.documentation.0.sha256: no document',
    ],
    [
      'no text',
      bad((f) => (f.services![1].documentation = [{ title: 'x', type: 'text' }])),
      400,
      'services.2.documentation.0: needs',
    ],
    [
      'no OpenAPI',
      bad((f) => (f.services![1].documentation = [{ title: 'x', type: 'openapi', content: 'x' }])),
      400,
      'services.2.documentation.0: content',
    ],
    ['a setting out of range', bad((f) => (f.settings!.confirmFromRisk = 2)), 400, 'settings.confirmFromRisk'],
    ['a bad query', { version: 1 }, 400, 'dryRun'],
  ])('%s', async (what, file, status, error) => {
    const query = what === 'a bad query' ? '?dryRun=1' : '';
    const answer = await send('PUT', `/workspaces/${id}/import${query}`, toYaml(file));
    const { error: said, next = '' } = JSON.parse(answer.text) as { error: string; next?: string };
    expect([answer.status, said + next]).toEqual([status, expect.stringContaining(error)]);
    expect(await exported(id)).toBe(before);
  });

  it('an OpenAPI document that cannot be read, before the transaction waits for others', async () => {
    const file = bad((f) => (f.services![1].documentation = [{ title: 'x', type: 'openapi', content: '{}' }]));
    const other = new Client({ connectionString: gateway.app.databaseUrl });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM workspaces WHERE id = $1 FOR UPDATE', [id]);
      const answer = await send('PUT', `/workspaces/${id}/import`, toYaml(file));
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringContaining('services.2.documentation.0: content'),
      ]);
    } finally {
      await other.end();
    }
  });

  it('no content type that /openapi.json names: the import accepts each of them', async () => {
    const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { requestBody?: { content: object } }>>;
    };
    const { content } = paths['/workspaces/{id}/import'].put.requestBody!;
    expect(Object.keys(content).sort()).toEqual(['application/json', 'application/yaml']);
    for (const type of Object.keys(content)) {
      const answer = await send('PUT', `/workspaces/${id}/import?dryRun=true`, '{"version": 1}', type);
      expect([type, answer.status]).toEqual([type, 200]);
    }
  });

  it('another content type', async () => {
    const answer = await send('PUT', `/workspaces/${id}/import`, 'version: 1', 'text/plain');
    expect(answer.status).toBe(415);
    const elsewhere = await send('POST', '/services', 'name: x', 'application/yaml');
    expect(elsewhere.status).toBe(415);
  });

  it('a workspace whose names are not unique', async () => {
    await inWorkspace(id, 'POST /services', { name: 'Shop', baseUrl: 'https://x.example.com', authType: 'none' });
    for (const [method, path] of [
      ['GET', 'export'],
      ['PUT', 'import'],
    ] as const) {
      const answer = await send(method, `/workspaces/${id}/${path}`, method === 'PUT' ? toYaml(SHOP) : undefined);
      expect([answer.status, answer.text]).toEqual([
        409,
        expect.stringContaining('Two services are called \\"Shop\\"'),
      ]);
    }
  });
});

describe('the roles', () => {
  it('an admin may import what an owner exported, but changes no settings', async () => {
    const id = await newWorkspace();
    await imported(id, SHOP);
    const { id: userId } = await register(gateway.app, 'admin@example.com');
    const values = [id, userId];
    await gateway.app.database.query(`INSERT INTO workspace_members VALUES ($1, $2, 'admin', now())`, values);
    const { accessToken } = await login(gateway.app, 'admin@example.com');
    const put = (file: Configuration) =>
      send('PUT', `/workspaces/${id}/import`, toYaml(file), 'application/yaml', accessToken);
    expect(JSON.parse((await put(SHOP)).text)).toMatchObject(NOTHING);
    const before = await exported(id);
    const agents = [{ name: 'another-bot', services: [] }];
    const refused = await put({ ...SHOP, agents, settings: { approverRuleMaxHours: 1 } });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Your role (admin)')]);
    expect(await exported(id)).toBe(before);
    await gateway.app.database.query(`UPDATE workspace_members SET role = 'approver' WHERE user_id = $1`, [userId]);
    expect((await put(SHOP)).status).toBe(403);
  });

  it('a person confirms before a file makes an `allow` rule, or changes a rule; a token of an admin need not', async () => {
    const id = await newWorkspace();
    const file = (rule: object): Configuration => ({
      version: 1,
      settings: {
        separationOfDuties: false,
        confirmFromRisk: 1,
        confirmEffects: [],
        approveInNotificationsBelow: null,
        approverRuleMaxHours: 24,
        undoSeconds: 0,
      },
      services: [
        {
          name: 'Shop',
          baseUrl: 'https://shop.example.com',
          authType: 'none',
          documentation: [],
          rules: [{ name: 'Reads', effect: 'deny', methods: ['GET'], ...rule }],
        },
      ],
      agents: [],
    });
    await imported(id, file({}));
    const before = await exported(id);
    await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
    for (const query of ['', '?dryRun=true']) {
      for (const rule of [{ effect: 'allow' }, { name: 'Another', effect: 'allow' }, { methods: ['HEAD'] }]) {
        const refused = await send('PUT', `/workspaces/${id}/import${query}`, toYaml(file(rule)));
        expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'confirmation_required']);
      }
    }
    expect(await exported(id)).toBe(before);

    const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
    const body = { name: 'ci', workspaceId: id, role: 'admin', expiresAt };
    await gateway.admin('POST /auth/confirm', { password: PASSWORD });
    const { token } = await gateway.admin<CreatedAccessToken>('POST /auth/tokens', body);
    await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
    const allowing = toYaml(file({ effect: 'allow' }));
    const applied = await send('PUT', `/workspaces/${id}/import`, allowing, 'application/yaml', token);
    expect([applied.status, applied.text]).toEqual([200, expect.stringContaining('"changed":[{')]);
    // The workspace then equals the file, so there is nothing to confirm.
    expect(await imported(id, allowing)).toEqual(NOTHING);
    await gateway.admin('POST /auth/confirm', { password: PASSWORD });
  });

  it('a personal access token of an admin may import', async () => {
    const workspaceId = await newWorkspace();
    const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
    const body = { name: 'ci', workspaceId, role: 'admin', expiresAt };
    const { token } = await gateway.admin<CreatedAccessToken>('POST /auth/tokens', body);
    const { settings: _, ...file } = SHOP;
    const answer = await send('PUT', `/workspaces/${workspaceId}/import`, toYaml(file), 'application/yaml', token);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"created":[{')]);
  });
});
