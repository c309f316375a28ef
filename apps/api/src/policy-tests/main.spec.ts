import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testPolicy, type TestOrder } from './main.js';

const DOCUMENT = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  paths: { '/orders/{id}': { delete: { operationId: 'cancelOrder', responses: {} } } },
});
const DIGEST = createHash('sha256').update(DOCUMENT).digest('hex');

const CONFIG = `
version: 1
services:
  - name: Shop
    baseUrl: https://shop.example.com/v1
    authType: bearer
    askFor: [delete]
    documentation:
      - { title: API, type: openapi, sha256: ${DIGEST} }
      - { title: Notes, type: markdown, sha256: '${'0'.repeat(64)}' }
    rules:
      - { name: Ask before POST, effect: require_approval, methods: [POST] }
      - { name: Never admin, effect: deny, pathPattern: '/admin/**' }
      - { name: Drafts, effect: allow, methods: [POST, DELETE], pathPattern: '/drafts/**', agents: [writer] }
      - { name: Off, effect: deny, isActive: false }
      - { name: Tried, effect: deny, mode: observe }
  - name: Shop admin
    baseUrl: https://shop.example.com/v1/deep
    authType: none
agents:
  - { name: bot, services: [Shop, Shop admin] }
  - { name: writer, services: [Shop] }
  - { name: retired, isActive: false, services: [Shop] }
`;

const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-cases-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

/** Runs the test, and leaves the directory out of what it says. */
async function run(cases: string, order: Partial<TestOrder> = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const short = (line: string): string => line.replaceAll(`${directory}/`, '');
  const code = await testPolicy(
    {
      config: file('config.yaml', CONFIG),
      documents: null,
      update: false,
      cases: [file('cases.yaml', cases)],
      ...order,
    },
    {
      say: (line) => out.push(short(line)),
      warn: (line) => err.push(short(line)),
      fail: (line) => err.push(short(line)),
    },
  );
  return { code, out, err };
}

const NO_TEXT = 'Shop / API: only its digest is known (--documents), so the operations of this document are unknown';
const one = (request: string, expect: string, agent = 'bot', service = 'Shop'): string =>
  `- { service: ${service}, agent: ${agent}, request: { ${request} }, expect: { ${expect} } }\n`;

describe('the test of a policy', () => {
  it('finds nothing to say where every case is decided as expected', async () => {
    const cases =
      one('method: POST, path: /orders, body: { amount: 5 }', 'decision: hold, rule: Ask before POST') +
      one('method: POST, path: /drafts/1', 'decision: hold, rule: Ask before POST') +
      one('method: DELETE, path: /drafts/1', 'decision: forward, rule: Drafts', 'writer') +
      one('method: DELETE, path: /drafts/1', 'decision: hold, rule: null, effects: [write, delete]') +
      one('method: GET, path: "/orders?a=1"', 'decision: model, rule: null, effects: [read]') +
      one('method: GET, path: /x/..%2fAdmin/1', 'decision: deny, rule: Never admin');
    expect(await run(cases)).toEqual({ code: 0, out: ['6 cases, 0 differ'], err: [NO_TEXT] });
  });

  it('says of each difference what was wanted, what came, and where', async () => {
    const cases = `# Refunds
- name: A refund
  service: Shop
  agent: bot
  request: { method: POST, path: /refunds }
  expect: { decision: forward, rule: null }

${one('method: DELETE, path: /things/1', 'decision: deny, effects: [read]')}${one('method: GET, path: /admin/1', 'decision: model')}`;
    expect(await run(cases)).toEqual({
      code: 1,
      out: [
        'cases.yaml:2  A refund: want forward by no rule, got hold by "Ask before POST"',
        'cases.yaml:8  DELETE /things/1: want deny, got hold (asks for delete); want the effects read, got delete, write',
        'cases.yaml:9  GET /admin/1: want model, got deny by "Never admin"',
        '3 cases, 3 differ',
      ],
      err: [NO_TEXT],
    });
  });

  it.each([
    ['a target elsewhere', 'method: GET, targetUrl: "https://other.example.com/"', 'bot', 'No service found matching'],
    ['a look-alike', 'method: GET, targetUrl: "https://shop.example.com/v1@x/"', 'bot', 'Target path must start with'],
    ['no URL', 'method: GET, targetUrl: "https://[::1"', 'bot', 'targetUrl: must be a valid URL'],
    ['another scheme', 'method: GET, targetUrl: "ftp://shop.example.com/v1"', 'bot', 'Only HTTP and HTTPS'],
    ['a body on GET', 'method: GET, path: /x, body: a', 'bot', 'body: must not be present on GET requests'],
    [
      'a bad header',
      'method: GET, path: /x, headers: { "a b": c }',
      'bot',
      'headers: "a b" is not a valid header name',
    ],
    ['base64 that is none', 'method: POST, path: /x, bodyBase64: "a"', 'bot', 'bodyBase64: must be base64'],
    ['an agent key', `method: GET, path: /agt_${'0'.repeat(64)}`, 'bot', 'targetUrl: must not contain an agent key'],
    ['a switched-off agent', 'method: GET, path: /x', 'retired', 'Agent key has been revoked'],
  ])('refuses %s like the gateway', async (_what, request, agent, why) => {
    const { code, out } = await run(one(request, 'decision: model', agent));
    expect([code, out[0]]).toEqual([1, expect.stringContaining(`want model, got refused (${why}`)]);
    expect(await run(one(request, 'decision: refused', agent))).toMatchObject({ code: 0 });
  });

  it('does not let a header decide that the gateway drops', async () => {
    const headers = 'headers: { Connection: x-http-method-override, X-HTTP-Method-Override: DELETE }';
    const cases = one(`method: GET, path: /x, ${headers}`, 'decision: model');
    expect(await run(cases)).toMatchObject({ code: 0 });
  });

  it('writes what was decided into the file, and keeps its comments and order', async () => {
    const cases = `# Ours
- name: New # without an expectation
  service: Shop
  agent: bot
  request: { method: POST, path: /orders, body: { b: 1.10, a: 12345678901234567890 } }
- service: Shop
  agent: bot
  request:
    method: DELETE
    path: /things/1
  # what we want
  expect:
    decision: deny # for now
    rule: Never admin
    effects: [read]
${one('method: GET, path: /admin/1', 'decision: deny')}`;
    expect(await run(cases, { update: true })).toEqual({ code: 0, out: ['3 cases, 2 updated'], err: [NO_TEXT] });
    const written = readFileSync(join(directory, 'cases.yaml'), 'utf8');
    expect(written).toBe(`# Ours
- name: New # without an expectation
  service: Shop
  agent: bot
  request: { method: POST, path: /orders, body: { b: 1.10, a: 12345678901234567890 } }
  expect: { decision: hold, rule: Ask before POST }
- service: Shop
  agent: bot
  request:
    method: DELETE
    path: /things/1
  # what we want
  expect:
    decision: hold # for now
    rule: null
    effects: [ delete, write ]
- { service: Shop, agent: bot, request: { method: GET, path: /admin/1 }, expect: { decision: deny } }
`);
    expect(await run(written)).toMatchObject({ code: 0 });
  });

  it.each([
    ['a: [', 'cases.yaml:1  invalid YAML: '],
    ['a: 1', 'cases.yaml:1  must be a list of cases'],
    ['- 1', 'cases.yaml:1  must be an object'],
    ['- { service: Shop }', 'cases.yaml:1  request: is missing'],
    ['- &a { service: Shop }\n- *a', 'cases.yaml:2  aliases are not allowed'],
    [one('method: FETCH, path: /', 'decision: deny'), 'cases.yaml:1  request.method: must be one of GET, '],
    [one('method: GET', 'decision: deny'), 'cases.yaml:1  request.path: give either this or targetUrl'],
    [one('method: GET, path: x', 'decision: deny'), 'cases.yaml:1  request.path: must begin with / or ?'],
    [one('method: GET, path: /, headers: [a]', 'decision: deny'), 'cases.yaml:1  request.headers: must be an object'],
    [one('method: GET, path: /, query: a', 'decision: deny'), 'cases.yaml:1  request.query: is unknown; known are '],
    [one('method: GET, path: /', 'decision: ask'), 'cases.yaml:1  expect.decision: must be one of forward, hold, '],
    [one('method: GET, path: /', 'effects: []'), 'cases.yaml:1  expect.decision: is missing'],
    [one('method: GET, path: /', 'decision: deny, effects: [fun]'), 'cases.yaml:1  expect.effects: fun is unknown'],
    ['\n- service: Shop\n  agent: bot\n  at: tomorrow\n', 'cases.yaml:4  at: must be a time such as '],
    ['- service: Shop\n  agent: bot\n  firstTime: 1\n  request: { method: GET, path: / }', 'cases.yaml:3  firstTime: '],
    [
      '- { service: Shop, agent: bot, request: { method: GET, path: / } }',
      'cases.yaml:1  expect: is missing; --update',
    ],
    [
      one('method: GET, path: /', 'decision: deny', 'bot', 'Shopp'),
      'cases.yaml:1  service: there is no service "Shopp"',
    ],
    [one('method: GET, path: /', 'decision: deny', 'bott'), 'cases.yaml:1  agent: there is no agent "bott"'],
    [
      one('method: GET, path: /deep/x', 'decision: deny'),
      'cases.yaml:1  service: the gateway takes this target for the service "Shop admin"',
    ],
  ])('says at which line it can not read %j', async (cases, why) => {
    const { code, out, err } = await run(cases);
    expect([code, out, err.at(-1)]).toEqual([2, [], expect.stringContaining(why)]);
  });

  it('changes no file if one can not be read', async () => {
    const bad = file('bad.yaml', '- 1\n');
    const good = file('good.yaml', one('method: GET, path: /', 'decision: deny'));
    const { code, err } = await run('', { cases: [good, bad], update: true });
    expect([code, err.slice(1)]).toEqual([2, ['bad.yaml:1  must be an object']]);
    expect(readFileSync(good, 'utf8')).toContain('decision: deny');
  });

  it.each([
    ['version: 2', 'config.yaml: version: must be one of the following values: 1'],
    ['a: [', 'config.yaml: invalid YAML: '],
    ['- 1', 'config.yaml: Request body must be a JSON object'],
    [CONFIG.replace('agents: [writer]', 'agents: [nobody]'), 'services.0.rules.2: agents: there is no agent "nobody"'],
    [CONFIG.replace('name: Off', 'name: Drafts'), 'services.0.rules.3.name: "Drafts" is used twice'],
    [CONFIG.replace('https://shop.example.com/v1\n', 'https://a@b/\n'), 'services.0: baseUrl: must not contain user'],
    [CONFIG.replace("'/admin/**'", 'admin'), 'services.0.rules.1: pathPattern: must start with /'],
    [
      CONFIG.replace('services: [Shop, Shop admin]', 'services: [Shopp]'),
      'agents.0: services: there is no service "Shopp"',
    ],
  ])('refuses a configuration as the import does: %#', async (config, why) => {
    const { code, err } = await run('[]', { config: file('bad-config.yaml', config) });
    expect([code, err[0].replace('bad-config', 'config')]).toEqual([2, expect.stringContaining(why)]);
  });

  it.each(['none.yaml', ''])('says which file it can not read: %j', async (name) => {
    expect(await run('[]', { cases: [join(directory, name)] })).toMatchObject({ code: 2, out: [] });
    expect(await run('[]', { config: join(directory, name) })).toMatchObject({ code: 2, out: [] });
  });

  it('finds the texts of documents by their digests', async () => {
    const documents = mkdtempSync(join(directory, 'documents-'));
    const missing = `Shop / API: no file in ${documents} has its digest`.replace(`${directory}/`, '');
    expect((await run('[]', { documents })).err[0]).toContain(missing);
    writeFileSync(join(documents, 'any-name'), DOCUMENT);
    expect(await run('[]', { documents })).toEqual({ code: 0, out: ['0 cases, 0 differ'], err: [] });
    expect(await run('[]', { documents: join(directory, 'nowhere') })).toMatchObject({
      code: 2,
      err: [expect.stringMatching(/nowhere: there is no such directory$/)],
    });
  });

  it('decides hundreds of cases', async () => {
    const cases = one('method: POST, path: /orders, body: { amount: 5 }', 'decision: hold').repeat(500);
    expect(await run(cases)).toMatchObject({ code: 0, out: ['500 cases, 0 differ'] });
  });
});
