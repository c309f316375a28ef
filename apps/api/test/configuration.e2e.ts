import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { Agent, AuditPage, Configuration, RiskRule, Service } from '#contracts';
import { ASKED_EFFECTS } from '#contracts/effects';
import { PASSWORD } from './support/accounts.js';
import { configurationFiles, NOTHING, OAUTH, SHOP, toYaml } from './support/configuration-files.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  // Some files have rules that allow requests, and those ask for a confirmation.
  await gateway.admin('POST /auth/confirm', { password: PASSWORD });
});
afterAll(() => gateway?.close());

const { newWorkspace, send, exported, imported, inWorkspace } = configurationFiles(() => gateway);

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
    requestCodings: fc.constantFrom(null, 'decode' as const, 'keep' as const),
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
        // Names can come twice, in any order.
        confirmEffects: fc.array(fc.constantFrom(...ASKED_EFFECTS), { maxLength: 4 }),
        approveInNotificationsBelow: fc.option(fc.constantFrom(0, 0.5, 1)),
        approverRuleMaxHours: fc.integer({ min: 1, max: 720 }),
        undoSeconds: fc.integer({ min: 0, max: 30 }),
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

  it('has the settings of OAuth as they are', async () => {
    const id = await newWorkspace();
    const baseUrl = 'https://drive.example.com';
    await imported(id, { version: 1, services: [{ name: 'Drive', baseUrl, authType: 'oauth2', oauth: OAUTH }] });
    expect((parse(await exported(id)) as Configuration).services![0].oauth).toEqual(OAUTH);
  });

  it('a JSON file has the same effect as the YAML file', async () => {
    const id = await newWorkspace();
    await imported(id, SHOP);
    const json = JSON.stringify(parse(await exported(id)));
    const { status, text } = await send('PUT', `/workspaces/${id}/import`, json, 'application/json');
    expect([status, JSON.parse(text)]).toMatchObject([200, NOTHING]);
  });

  it('a document that has only a digest gets its text from another service of the workspace', async () => {
    const id = await newWorkspace();
    await imported(id, SHOP);
    const file = parse(await exported(id)) as Configuration;
    file.services![0].documentation = file.services![1].documentation;
    file.services![1].documentation = [];
    expect(await imported(id, file)).toMatchObject({ created: [{ kind: 'document', name: 'Bank / Notes' }] });
  });
});

it('after simultaneous imports of two files, the workspace matches one of the files', async () => {
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
      [...files, ...files].map((file) => send('PUT', `/workspaces/${id}/import`, toYaml(file))),
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

it.each([
  ['a limit', {}],
  ['a limit with a sum', { count: 499.99, sum: 'int(request.body.amount) / 100\n+ request.size' }],
])('a rule with %s is imported and exported', async (_what, more) => {
  const id = await newWorkspace();
  const limit = { count: 10, per: 'hour' as const, then: 'deny' as const, ...more };
  const service = { name: 'Few', baseUrl: 'https://few.example.com', authType: 'none' as const };
  const file = {
    version: 1 as const,
    services: [{ ...service, rules: [{ name: 'Few', effect: 'limit' as const, limit }] }],
  };
  expect((await imported(id, file)).created).toContainEqual({ kind: 'rule', name: 'Few / Few' });
  expect(await imported(id, file)).toEqual(NOTHING);
  expect((parse(await exported(id)) as Configuration).services![0].rules).toEqual([
    { name: 'Few', effect: 'limit', limit },
  ]);
  const changed = { ...file, services: [{ ...service, rules: [{ name: 'Few', effect: 'deny' as const }] }] };
  expect((await imported(id, changed)).changed).toEqual([{ kind: 'rule', name: 'Few / Few' }]);
  expect((parse(await exported(id)) as Configuration).services![0].rules).toEqual([{ name: 'Few', effect: 'deny' }]);
});
