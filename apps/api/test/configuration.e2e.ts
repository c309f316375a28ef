import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Client } from 'pg';
import { parse, stringify } from 'yaml';
import type {
  Agent,
  AuditPage,
  Configuration,
  CreatedAccessToken,
  ImportResult,
  RiskRule,
  Service,
  Workspace,
} from '#contracts';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  // Some files have rules that allow requests, and those ask for a confirmation.
  await gateway.admin('POST /auth/confirm', { password: PASSWORD });
});
afterAll(() => gateway?.close());

const NOTHING: ImportResult = { created: [], changed: [], deleted: [] };
const newWorkspace = async (): Promise<number> =>
  (await gateway.admin<Workspace>('POST /workspaces', { name: 'Another' })).id;

async function send(method: string, path: string, body?: string, type = 'application/yaml', token = gateway.token) {
  const headers = { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': type }) };
  const response = await fetch(gateway.url + path, { method, headers, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function exported(id: number): Promise<string> {
  const { status, text } = await send('GET', `/workspaces/${id}/export`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return text;
}

async function imported(id: number, file: Configuration | string, query = ''): Promise<ImportResult> {
  const { status, text } = await send('PUT', `/workspaces/${id}/import${query}`, textOf(file));
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as ImportResult;
}

const textOf = (file: object | string): string =>
  typeof file === 'string' ? file : stringify(file, { aliasDuplicateObjects: false });

const inWorkspace = <T>(id: number, route: string, body?: object) =>
  call<T>(gateway.app, route, { token: gateway.token, body, headers: { 'X-Workspace-Id': String(id) } });

const SHOP: Configuration = {
  version: 1,
  settings: {
    separationOfDuties: true,
    confirmFromRisk: 0.8,
    approveInNotificationsBelow: 0.3,
    approverRuleMaxHours: 12,
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

describe('an import into an empty workspace', () => {
  let id: number;
  beforeAll(async () => {
    id = await newWorkspace();
  });

  it('reports the planned changes in a dry run, and changes nothing', async () => {
    const before = await exported(id);
    const planned = await imported(id, SHOP, '?dryRun=true');
    expect(planned).toEqual({
      created: [
        { kind: 'service', name: 'Shop' },
        { kind: 'service', name: 'Bank' },
        { kind: 'agent', name: 'support-bot' },
        { kind: 'agent', name: 'idle-bot' },
        { kind: 'rule', name: 'Shop / Ask before writes' },
        { kind: 'rule', name: 'Shop / Only the bot' },
        { kind: 'document', name: 'Shop / Notes' },
      ],
      changed: [{ kind: 'settings', name: 'settings' }],
      deleted: [],
    });
    expect(await exported(id)).toBe(before);
    expect(await imported(id, SHOP)).toEqual(planned);
  });

  it('creates the same resources as the other endpoints, and records each', async () => {
    const { body: services } = await inWorkspace<Service[]>(id, 'GET /services');
    const shop = services.find(({ name }) => name === 'Shop');
    expect(shop).toMatchObject({ missingCredentials: ['key'], rotateEveryDays: 90, rewriteLinks: 'headers' });
    const { body: agents } = await inWorkspace<Agent[]>(id, 'GET /agents');
    const bot = agents.find(({ name }) => name === 'support-bot');
    expect(bot).toMatchObject({ isActive: true, addresses: ['192.0.2.0/24'], keyLifetimeDays: 30 });
    const { body: rules } = await inWorkspace<RiskRule[]>(id, `GET /services/${shop!.id}/risk-rules`);
    expect(rules[1]).toMatchObject({ name: 'Only the bot', agentIds: [bot!.id] });
    const { body: page } = await inWorkspace<AuditPage>(id, 'GET /audit?kind=change');
    const reasons = page.items.map(({ reason }) => reason);
    for (const reason of ['service.created', 'agent.created', 'risk_rule.created', 'workspace.updated'])
      expect(reasons).toContain(reason);
  });

  it('is idempotent', async () => {
    const before = await inWorkspace<AuditPage>(id, 'GET /audit?kind=change');
    expect(await imported(id, SHOP)).toEqual(NOTHING);
    expect(await imported(id, await exported(id))).toEqual(NOTHING);
    expect((await inWorkspace<AuditPage>(id, 'GET /audit?kind=change')).body).toEqual(before.body);
  });

  it('is exported in a stable order, without defaults and secrets', async () => {
    const text = await exported(id);
    const digest = createHash('sha256').update('# Careful\n').digest('hex');
    expect(parse(text)).toEqual({
      version: 1,
      settings: SHOP.settings,
      services: [
        SHOP.services![1],
        {
          ...SHOP.services![0],
          baseUrlDefaults: { idempotency: 'required', wait: 5 },
          documentation: [{ title: 'Notes', type: 'markdown', sha256: digest }],
          rules: [
            { ...SHOP.services![0].rules![0], methods: ['DELETE', 'POST'] },
            { name: 'Only the bot', effect: 'deny', pathPattern: '/admin/**', agents: ['support-bot'] },
          ],
        },
      ],
      agents: [SHOP.agents![1], { ...SHOP.agents![0], services: ['Bank', 'Shop'] }],
    });
    expect(await exported(id)).toBe(text);
  });

  it('deletes everything that a list in the file does not name, and keeps lists that the file leaves out', async () => {
    const { documentation: _d, rules: _r, ...bare } = SHOP.services![0];
    const file: Configuration = { version: 1, services: [{ ...bare, rotateEveryDays: 30 }] };
    expect(await imported(id, file)).toEqual({
      created: [],
      changed: [{ kind: 'service', name: 'Shop' }],
      deleted: [{ kind: 'service', name: 'Bank' }],
    });
    const after = parse(await exported(id)) as Configuration;
    expect(after.services![0].rules).toHaveLength(2);
    expect(after.services![0].documentation).toHaveLength(1);
    expect(after.agents).toHaveLength(2);
    expect(after.settings).toEqual(SHOP.settings);
    const [shop] = after.services!;
    const agents = [{ name: 'support-bot', services: ['Shop'] }];
    const rules = [{ name: 'Only the bot', effect: 'allow' as const }];
    expect(await imported(id, { version: 1, services: [{ ...shop, rules, documentation: [] }], agents })).toEqual({
      created: [],
      changed: [
        { kind: 'agent', name: 'support-bot' },
        { kind: 'rule', name: 'Shop / Only the bot' },
      ],
      deleted: [
        { kind: 'agent', name: 'idle-bot' },
        { kind: 'rule', name: 'Shop / Ask before writes' },
        { kind: 'document', name: 'Shop / Notes' },
      ],
    });
  });
});

it('keeps credentials, keys, and rules that expire', async () => {
  const own = gateway.agent.userId;
  const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
  const route = `POST /services/${gateway.service.id}/risk-rules`;
  await gateway.admin(route, { name: 'for an hour', effect: 'allow', methods: ['GET'], expiresAt });
  const file = parse(await exported(own)) as Configuration;
  expect(file.services![0].rules).toEqual([]);
  file.services![0].rules = [{ name: 'always', effect: 'allow' }];
  file.services![0].rotateEveryDays = 10;
  await imported(own, file);
  gateway.model.answer({ score: 1 });
  expect((await gateway.proxy({ method: 'DELETE' })).status).toBe(200);
  const rules = await gateway.admin<RiskRule[]>(`GET /services/${gateway.service.id}/risk-rules`);
  expect(rules.map(({ name }) => name)).toEqual(['for an hour', 'always']);
});

it('an agent of a file gets a key that nobody knows, until it is rotated', async () => {
  const id = await newWorkspace();
  await imported(id, SHOP);
  const { body: agents } = await inWorkspace<Agent[]>(id, 'GET /agents');
  const bot = agents.find(({ name }) => name === 'support-bot')!;
  const rotated = await inWorkspace<{ apiKey: string }>(id, `POST /agents/${bot.id}/rotate-key`, {});
  await inWorkspace(id, `PUT /agents/${bot.id}`, { addresses: [] });
  const answer = await fetch(`${gateway.url}/agent`, { headers: { 'Agent-Key': rotated.body.apiKey } });
  expect(answer.status).toBe(200);
});

describe('round trip', () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 :#'"{}[\]&*!|>%@`,-]{2,20}[A-Za-z0-9]$/);
  const text = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .filter((each) => !each.includes('\0') && each.isWellFormed());
  const rule = fc.record({
    name,
    effect: fc.constantFrom('allow', 'deny', 'require_approval', 'guidance' as const),
    methods: fc.uniqueArray(fc.constantFrom('GET', 'POST', 'DELETE' as const)),
    pathPattern: fc.constantFrom('', '/a/*', '/b/**'),
    instruction: text.map((each) => `say ${each}`),
    isActive: fc.boolean(),
  });
  const named = <T extends { name: string }>(thing: fc.Arbitrary<T>, maxLength: number) =>
    fc.uniqueArray(thing, { selector: (each) => each.name, maxLength });
  const service = fc.record({
    name,
    baseUrl: fc.constantFrom('https://a.example.com', 'https://b.example.com/v1', 'http://c.example.com:8080/x'),
    authType: fc.constantFrom('bearer', 'none', 'basic', 'api_key' as const),
    rewriteLinks: fc.constantFrom('headers', 'bodies' as const),
    rotateEveryDays: fc.option(fc.integer({ min: 1, max: 3650 })),
    baseUrlDefaults: fc.record({
      idempotency: fc.constantFrom('required', 'none' as const),
      wait: fc.nat({ max: 60 }),
    }),
    documentation: fc.uniqueArray(
      fc.record({
        title: name,
        type: fc.constantFrom('text', 'markdown' as const),
        content: text.map((each) => `x${each}`),
      }),
      { selector: ({ title }) => title, maxLength: 2 },
    ),
    rules: named(rule, 3),
  });
  const configuration = fc
    .record({
      settings: fc.record({
        separationOfDuties: fc.boolean(),
        confirmFromRisk: fc.option(fc.constantFrom(0, 0.5, 1)),
        approveInNotificationsBelow: fc.option(fc.constantFrom(0, 0.5, 1)),
        approverRuleMaxHours: fc.integer({ min: 1, max: 720 }),
      }),
      services: named(service, 4),
      names: fc.uniqueArray(name, { maxLength: 4 }),
      pick: fc.infiniteStream(fc.nat()),
      lifetimes: fc.infiniteStream(fc.option(fc.integer({ min: 1, max: 3650 }))),
    })
    .map(({ settings, services, names, pick, lifetimes }): Configuration => {
      const some = (all: readonly string[]): string[] => all.filter(() => (pick.next().value as number) % 2 === 0);
      const scope = services.map((each) => each.name);
      return {
        version: 1,
        settings,
        services: services.map((each) => ({
          ...each,
          rules: each.rules.map((own) => ({ ...own, agents: some(names) })),
        })),
        agents: names.map((each) => ({
          name: each,
          services: some(scope),
          keyLifetimeDays: lifetimes.next().value as number | null,
        })),
      };
    });

  it('an export that is imported into an empty workspace is exported as the same file', async () => {
    await fc.assert(
      fc.asyncProperty(configuration, async (given) => {
        const [one, other] = [await newWorkspace(), await newWorkspace()];
        await imported(one, given);
        const file = await exported(one);
        // No export contains the texts of documents. The import finds them in the workspace.
        const texts = new Map(
          given.services!.flatMap(({ documentation }) =>
            documentation!.map(({ content = '' }) => [createHash('sha256').update(content).digest('hex'), content]),
          ),
        );
        const whole = parse(file) as Configuration;
        for (const document of whole.services!.flatMap(({ documentation }) => documentation!)) {
          document.content = texts.get(document.sha256!);
        }
        await imported(other, whole);
        expect(await exported(other)).toBe(file);
        expect(await imported(other, file)).toEqual(NOTHING);
        expect(await imported(one, given)).toEqual(NOTHING);
      }),
      { numRuns: 15 },
    );
  });

  it('a JSON file has the same effect as the YAML file', async () => {
    const id = await newWorkspace();
    await imported(id, SHOP);
    const json = JSON.stringify(parse(await exported(id)));
    const { status, text } = await send('PUT', `/workspaces/${id}/import`, json, 'application/json');
    expect([status, JSON.parse(text)]).toEqual([200, NOTHING]);
  });

  it('a digest finds its text in another service of the workspace', async () => {
    const id = await newWorkspace();
    await imported(id, SHOP);
    const file = parse(await exported(id)) as Configuration;
    file.services![0].documentation = file.services![1].documentation;
    file.services![1].documentation = [];
    expect(await imported(id, file)).toMatchObject({ created: [{ kind: 'document', name: 'Bank / Notes' }] });
  });
});

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
    const answer = await send('PUT', `/workspaces/${id}/import${query}`, textOf(file));
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
      const answer = await send('PUT', `/workspaces/${id}/import`, textOf(file));
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringContaining('services.2.documentation.0: content'),
      ]);
    } finally {
      await other.end();
    }
  });

  it('no content type that /openapi.json names', async () => {
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
      const answer = await send(method, `/workspaces/${id}/${path}`, method === 'PUT' ? textOf(SHOP) : undefined);
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
      send('PUT', `/workspaces/${id}/import`, textOf(file), 'application/yaml', accessToken);
    expect((await put(SHOP)).text).toBe(JSON.stringify(NOTHING));
    const before = await exported(id);
    const agents = [{ name: 'another-bot', services: [] }];
    const refused = await put({ ...SHOP, agents, settings: { approverRuleMaxHours: 1 } });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Your role (admin)')]);
    expect(await exported(id)).toBe(before);
    await gateway.app.database.query(`UPDATE workspace_members SET role = 'approver' WHERE user_id = $1`, [userId]);
    expect((await put(SHOP)).status).toBe(403);
  });

  it('a person confirms before a file makes an `allow` rule, or changes one; a token of an admin need not', async () => {
    const id = await newWorkspace();
    const file = (rule: object): Configuration => ({
      version: 1,
      settings: {
        separationOfDuties: false,
        confirmFromRisk: 1,
        approveInNotificationsBelow: null,
        approverRuleMaxHours: 24,
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
      for (const rule of [{ effect: 'allow' }, { name: 'Another', effect: 'allow' }]) {
        const refused = await send('PUT', `/workspaces/${id}/import${query}`, textOf(file(rule)));
        expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'confirmation_required']);
      }
    }
    expect(await exported(id)).toBe(before);
    expect(await imported(id, file({ methods: ['HEAD'] }))).toMatchObject({ changed: [{ name: 'Shop / Reads' }] });

    const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
    const body = { name: 'ci', workspaceId: id, role: 'admin', expiresAt };
    await gateway.admin('POST /auth/confirm', { password: PASSWORD });
    const { token } = await gateway.admin<CreatedAccessToken>('POST /auth/tokens', body);
    await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
    const allowing = textOf(file({ effect: 'allow' }));
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
    const answer = await send('PUT', `/workspaces/${workspaceId}/import`, textOf(file), 'application/yaml', token);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"created":[{')]);
  });
});

it('two imports at once end in one of the two states', async () => {
  const id = await newWorkspace();
  const files = ['one', 'two'].map((name): Configuration => ({
    version: 1,
    services: [
      { name, baseUrl: 'https://x.example.com', authType: 'none', documentation: [], rules: [] },
      { name: 'both', baseUrl: `https://${name}.example.com`, authType: 'none', documentation: [], rules: [] },
    ],
    agents: [{ name: `${name}-bot`, services: ['both', name] }],
  }));
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      [...files, ...files].map((file) => send('PUT', `/workspaces/${id}/import`, textOf(file))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { services, agents } = parse(await exported(id)) as Configuration;
    const sorted = files.map((file) => ({
      services: [...file.services!].sort((a, b) => (a.name < b.name ? -1 : 1)),
      agents: file.agents,
    }));
    expect(sorted).toContainEqual({ services, agents });
  }
});
