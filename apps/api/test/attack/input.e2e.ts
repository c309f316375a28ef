import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { CreateAgentResponse, LoginResponse } from '#contracts';
import { call, login, PASSWORD, register } from '../support/accounts.js';
import { apiRoutes, type ApiRoute } from '../support/api-routes.js';
import { startChildGateway, type ChildGateway } from '../support/child-gateway.js';
import { eventually } from '../support/eventually.js';
import { rawRequest, type RawAnswer } from '../support/raw-http.js';
import { createAgent, createDocument, createRule, createService } from '../support/resources.js';

/**
 * Malformed requests against every endpoint of the built gateway: each gets an answer below 500 in the error envelope, its
 * memory comes back, and others are served meanwhile.
 */
interface Shot {
  name: string;
  bytes: (string | Buffer)[];
  /** Node closes the connection without a word where there is nobody to answer to. */
  mayBeSilent?: boolean;
  /** Node's own refusal, which no handler of ours can replace. */
  bare?: boolean;
}

const PARALLEL = 16;
const SLOW_SOCKETS = 500;
const MIB = 1024 * 1024;

jest.setTimeout(60_000);

let gateway: ChildGateway;
let port: number;
let routes: ApiRoute[];
let session: LoginResponse;
let created: CreateAgentResponse;
let directory: string;
let sent = 0;
const slowest = { healthMs: 0, asked: 0 };
let rssBefore: number;
const slow: { socket: Socket; answer: () => string; closed: Promise<unknown> }[] = [];
let drip: NodeJS.Timeout;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'agw-gc-'));
  const collectOnSignal = join(directory, 'gc.cjs');
  // Only to tell what is still held from what is merely not collected yet.
  writeFileSync(
    collectOnSignal,
    `require('node:v8').setFlagsFromString('--expose-gc');
     const collect = require('node:vm').runInNewContext('gc');
     process.on('SIGUSR2', () => collect());`,
  );
  gateway = await startChildGateway({}, collectOnSignal);
  port = Number(new URL(gateway.url).port);
  await register(gateway, 'ada@example.com');
  session = await login(gateway, 'ada@example.com');
  const token = session.accessToken;
  const { id } = await createService(gateway, token, { baseUrl: 'http://127.0.0.1:9/v1' });
  created = await createAgent(gateway, token, [id]);
  await createDocument(gateway, token, id);
  await createRule(gateway, token, id);
  routes = await apiRoutes(gateway);
});

afterAll(async () => {
  clearInterval(drip);
  for (const { socket } of slow) socket.destroy();
  await gateway?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const credential = ({ guard, path }: ApiRoute): string => {
  // Its answer has no end.
  if (path === '/events') return '';
  if (guard === 'bearer') return `Authorization: Bearer ${session.accessToken}\r\n`;
  return guard === 'agentKey' ? `Agent-Key: ${created.apiKey}\r\n` : '';
};

const plainPath = ({ path }: ApiRoute): string => path.replace(/\{\w+\}/g, '1');

function shot(
  route: ApiRoute,
  name: string,
  part: { path?: string; method?: string; headers?: string; body?: Buffer | string },
): Shot {
  const { path = plainPath(route), method = route.method, headers, body } = part;
  const framed = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const type = headers ?? (body === undefined ? '' : 'Content-Type: application/json\r\n');
  const head = `${method} ${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n${credential(route)}${type}${framed}\r\n`;
  return { name: `${route.name}: ${name}`, bytes: body === undefined ? [head] : [head, Buffer.from(body as string)] };
}

/** Whole bodies that are no body for any endpoint. */
function brokenBodies(): [string, string | Buffer, string?][] {
  const json = 'Content-Type: application/json\r\n';
  const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const utf16 = Buffer.from('\ufeff{"name":"x"}', 'utf16le');
  return [
    ['nothing but a brace', '{'],
    ['trailing comma', '{"name":"x",}'],
    ['single quotes', "{'name':'x'}"],
    ['comment', '{"name":"x"/**/}'],
    ['two documents', '{}{}'],
    ['NaN', '{"name":NaN}'],
    ['bare word', 'name'],
    ['null', 'null'],
    ['a number', '7'],
    ['a string', '"name"'],
    ['an array', '[{"name":"x"}]'],
    ['empty object', '{}'],
    ['white space', '   '],
    ['65 levels', nested(65)],
    ['100,000 levels', nested(100_000)],
    ['half of 100,000 levels', '{"a":'.repeat(100_000)],
    ['60,000 keys', JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n])))],
    ['20,000 objects', `{"name":[${'{"a":1},'.repeat(20_000)}1]}`],
    ['NUL', '{"name":"a\\u0000b"}'],
    ['a real NUL', '{"name":"a\0b"}'],
    ['lone surrogate', '{"name":"\\ud800"}'],
    ['lone surrogate in a key', '{"\\udfff":1}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ['cut UTF-8', Buffer.from([0x22, 0xe2, 0x82])],
    ['UTF-8 with a mark', Buffer.from('\ufeff{"name":1}')],
    ['UTF-16', utf16],
    ['UTF-16, the other way round', Buffer.from(utf16).swap16()],
    ['__proto__', '{"__proto__":{"isAdmin":true},"name":1}'],
    ['constructor', '{"constructor":{"prototype":{"isAdmin":true}}}'],
    ['the same key twice', '{"name":1,"name":2}'],
    ['huge number', '{"name":1e999,"id":-1e999,"x":1.0000000000000000000000000001}'],
    ['gzip', gzipSync('{"name":"x"}'), `${json}Content-Encoding: gzip\r\n`],
    ['gzip that is none', '{}', `${json}Content-Encoding: gzip\r\n`],
    ['two codings', '{}', `${json}Content-Encoding: gzip, br\r\n`],
    ['no type', '{}', ''],
    ['text', '{}', 'Content-Type: text/plain\r\n'],
    ['form', 'name=x', 'Content-Type: application/x-www-form-urlencoded\r\n'],
    ['multipart', '--x\r\n\r\n--x--', 'Content-Type: multipart/form-data; boundary=x\r\n'],
    ['type of nonsense', '{}', 'Content-Type: ;;;/\r\n'],
    ['charset', '{}', 'Content-Type: application/json; charset=utf-16\r\n'],
  ];
}

const WRONG_VALUES: unknown[] = [
  null,
  -1,
  1.5,
  2 ** 53,
  '',
  'x'.repeat(20_000),
  '\u{1f600}'.repeat(200),
  '\u202e\u200b',
  "'; DROP TABLE users; --",
  '../../etc/passwd',
  '${7*7}{{7*7}}<script>',
  'http://[::1',
  'javascript:alert(1)',
  [],
  [[[]]],
  Array.from({ length: 5000 }, () => 1),
  {},
  { toString: 1, valueOf: 1, constructor: 1, hasOwnProperty: 1, then: 1 },
  { a: { b: { c: [] } } },
];

const STRANGE_IDS = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x1',
  '01',
  'NaN',
  'null',
  'undefined',
  '2147483648',
  '9007199254740993',
  '9'.repeat(400),
  '%00',
  '1%00',
  '%20',
  '%',
  '%zz',
  '%c0%ae',
  '%ff',
  '..%2f..%2f1',
  '%2e%2e',
  '1;2',
  '1,2',
  '*',
  "1'--",
  '%F0%9F%98%80',
  '00000000-0000-0000-0000-000000000000',
  '{id}',
  'x'.repeat(6000),
];

const STRANGE_QUERIES = [
  '?limit=-1',
  '?limit=1e9',
  '?limit=x',
  '?limit=1&limit=2',
  '?limit[]=1',
  '?limit[a][b]=1',
  '?cursor=x',
  '?cursor=W10',
  `?cursor=${Buffer.from('["a","b"]').toString('base64url')}`,
  `?cursor=${Buffer.from('[{"a":1},2]').toString('base64url')}`,
  '?from=x&to=y',
  '?from=9999999-01-01',
  '?from=-271821-04-20T00:00:00Z&to=275760-09-13T00:00:00Z',
  '?from=2026-01-01T00:00:00Z&to=2020-01-01T00:00:00Z',
  '?agentId=abc',
  '?agentId=99999999999',
  '?serviceId=-0',
  '?status=NOPE',
  '?status=PENDING&status=ALL',
  '?minRisk=2',
  '?minRisk=NaN',
  '?sort=;drop',
  '?method=TRACE',
  '?kind=__proto__',
  '?outcome=constructor',
  '?actionId=1',
  '?requestId=%00',
  '?q=%00',
  '?q=%ff',
  '?q=%ed%a0%80',
  '?q=%25_%5C',
  `?q=${'x'.repeat(7000)}`,
  '?format=exe',
  '?format=csv&q=%27%22%3B',
  '?bucket=0',
  '?bucket=century',
  '?__proto__[x]=1',
  '?=&&&=',
  `?${'a=1&'.repeat(1500)}`,
];

const STRANGE_METHODS = [
  'TRACE',
  'PROPFIND',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'PUT',
  'LINK',
  'QUERY',
  'get',
  'FOO',
  'G\u00cbT',
  '',
];

/** Heads that are no HTTP, or hardly. */
function strangeHeads(): Shot[] {
  const end = 'Connection: close\r\n\r\n';
  const get = 'GET /services HTTP/1.1\r\nHost: x\r\n';
  const post = `POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  const auth = `Authorization: Bearer ${session.accessToken}\r\n`;
  const heads: [string, string, boolean?][] = [
    ['nothing', '\r\n\r\n', true],
    ['no request line', ': x\r\n\r\n'],
    ['no version', 'GET /services\r\n\r\n'],
    ['version 0.9', `GET /services HTTP/0.9\r\n${end}`],
    ['version 9.9', `GET /services HTTP/9.9\r\n${end}`],
    ['version 2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['two hosts', `${get}Host: y\r\n${end}`],
    ['absolute URL', `GET http://evil.example/services HTTP/1.1\r\nHost: x\r\n${end}`],
    ['authority', `GET evil.example:80 HTTP/1.1\r\nHost: x\r\n${end}`],
    ['asterisk', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${end}`],
    ['CONNECT', `CONNECT evil.example:80 HTTP/1.1\r\nHost: x\r\n${end}`],
    ['path of two slashes', `GET //services HTTP/1.1\r\nHost: x\r\n${end}`],
    ['path with raw bytes', `GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n${end}`],
    ['path with a space', `GET /a b HTTP/1.1\r\nHost: x\r\n${end}`],
    ['path of 100 kB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n${end}`],
    ['folded header', `${get}X-A: b\r\n c\r\n${end}`],
    ['space before the colon', `${get}X-A : b\r\n${end}`],
    ['name with a control', `${get}X\x01A: b\r\n${end}`],
    ['value with NUL', `${get}X-A: b\0c\r\n${end}`],
    ['bare CR', `${get}X-A: b\rc\r\n${end}`],
    ['bare LF', `GET /services HTTP/1.1\nHost: x\n\n`],
    ['header of 100 kB', `${get}X-A: ${'a'.repeat(100_000)}\r\n${end}`],
    ['5,000 headers', `${get}${'X-A: b\r\n'.repeat(5000)}${end}`],
    ['500 headers', `${get}${'A:b\r\n'.repeat(500)}${end}`],
    ['Authorization twice', `${get}${auth}Authorization: Bearer x\r\n${end}`],
    ['Agent-Key twice', `GET /status/1 HTTP/1.1\r\nHost: x\r\nAgent-Key: a\r\nAgent-Key: b\r\n${end}`],
    ['Authorization with NBSP', `${get}Authorization: Bearer\xa0x\r\n${end}`],
    ['request id of nonsense', `${get}X-Request-Id: a b\r\nX-Request-Id: ${'x'.repeat(5000)}\r\n${end}`],
    ['cookie of nonsense', `${get}Cookie: =;;;=%%%; refresh_token=%zz\r\n${end}`],
    ['expectation', `${post}Expect: magic\r\nContent-Length: 2\r\n${end}{}`],
    ['lengths that differ', `${post}Content-Length: 2\r\nContent-Length: 3\r\n${end}{}`],
    ['length of nonsense', `${post}Content-Length: -1\r\n${end}`],
    ['length beyond numbers', `${post}Content-Length: 99999999999999999999\r\n${end}`],
    ['length of a terabyte', `${post}Content-Length: 1099511627776\r\n${end}{`],
    ['length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n${end}0\r\n\r\n`],
    ['unknown transfer coding', `${post}Transfer-Encoding: gzip\r\n${end}{}`],
    ['two transfer codings', `${post}Transfer-Encoding: chunked, identity\r\n${end}0\r\n\r\n`],
    ['chunk of no size', `${post}Transfer-Encoding: chunked\r\n${end}zz\r\n{}\r\n`],
    ['chunk of endless size', `${post}Transfer-Encoding: chunked\r\n${end}ffffffffffffffffff\r\n{}\r\n`],
    [
      'chunk extensions of 100 kB',
      `${post}Transfer-Encoding: chunked\r\n${end}2;${'a'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`,
    ],
    ['upgrade', `${get}Upgrade: websocket\r\nConnection: upgrade\r\n\r\n`],
    ['upgrade to HTTP/2', `${get}Upgrade: h2c\r\nHTTP2-Settings: x\r\nConnection: upgrade, close\r\n\r\n`],
    [
      'preference of nonsense',
      `GET /status/1 HTTP/1.1\r\nHost: x\r\nAgent-Key: ${created.apiKey}\r\nPrefer: wait=1e9, wait=-1, x="\r\n${end}`,
    ],
    [
      'idempotency key of 300',
      `POST /proxy HTTP/1.1\r\nHost: x\r\nAgent-Key: ${created.apiKey}\r\nIdempotency-Key: ${'k'.repeat(300)}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${end}{}`,
    ],
  ];
  return [
    { name: 'no host', bytes: [`GET /services HTTP/1.1\r\n${end}`], bare: true },
    ...heads.map(([name, bytes, mayBeSilent]) => ({ name, bytes: [bytes], mayBeSilent })),
  ];
}

/** A body that is right but for one field. */
function fieldShots(route: ApiRoute): Shot[] {
  const good: Record<string, unknown> = {
    ...{
      name: 'A name',
      email: 'bob@example.com',
      password: PASSWORD,
      currentPassword: 'wrong-password',
      newPassword: PASSWORD,
    },
    ...{
      baseUrl: 'http://127.0.0.1:9/v1',
      authType: 'bearer',
      credentials: { token: 'a-token-value' },
      refreshToken: 'x.y.z',
    },
    ...{
      serviceIds: [1],
      serviceId: 1,
      agentId: 1,
      isActive: true,
      type: 'text',
      title: 'Title',
      content: 'Content',
      path: '/x',
    },
    ...{
      effect: 'guidance',
      methods: ['GET'],
      pathPattern: '/x',
      instruction: 'x',
      agentIds: [],
      expiresAt: null,
      maxUses: null,
    },
    ...{
      targetUrl: 'http://127.0.0.1:9/v1/x',
      method: 'GET',
      headers: {},
      intent: 'look',
      idempotencyKey: 'k',
      note: 'x',
    },
  };
  const own = Object.fromEntries(route.fields!.map((name) => [name, good[name]]));
  return route.fields!.flatMap((field) =>
    WRONG_VALUES.map((value) =>
      shot(route, `${field} is ${JSON.stringify(value).slice(0, 30)}`, {
        body: JSON.stringify({ ...own, [field]: value }),
      }),
    ),
  );
}

async function fire(shots: Shot[]): Promise<void> {
  const faults: unknown[] = [];
  const queue = [...shots];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const answer = await rawRequest(port, next.bytes, next.mayBeSilent ? 500 : 8000);
      const fault = answer === null ? (next.mayBeSilent ? null : 'no answer') : faultOf(next, answer);
      if (fault !== null) faults.push([next.name, fault]);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  sent += shots.length;
  expect(faults).toEqual([]);
}

function faultOf({ bytes, bare }: Shot, { status, headers, body }: RawAnswer): string | null {
  if (status >= 500) return `${status} ${body}`;
  if (status < 400 || bare || String(bytes[0]).startsWith('HEAD')) return null;
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return `${status} as ${headers['content-type']}`;
  if (!headers['x-request-id']) return `${status} without a request id`;
  try {
    const { error, statusCode, ...rest } = JSON.parse(body) as { error: unknown; statusCode: unknown };
    const stack = /\bat .+:\d+:\d+|node_modules|SELECT |INSERT /.test(String(error));
    const held = status === 428;
    return typeof error === 'string' && !stack && statusCode === status && (held || Object.keys(rest).length === 0)
      ? null
      : `${status} ${body}`;
  } catch {
    return `${status} ${body.slice(0, 200)}`;
  }
}

/** Asks for /health all the while, and keeps the slowest answer. */
async function besideHealth(work: () => Promise<void>): Promise<void> {
  let over = false;
  const poll = async (): Promise<void> => {
    while (!over) {
      const startedMs = performance.now();
      const answer = await rawRequest(port, ['GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n']);
      expect(answer?.status).toBe(200);
      slowest.asked += 1;
      slowest.healthMs = Math.max(slowest.healthMs, performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const polling = poll();
  await work().finally(() => (over = true));
  await polling;
}

/** Half of them never finish their head, half never their body. */
async function openSlowSockets(): Promise<void> {
  const head = `POST /proxy HTTP/1.1\r\nHost: x\r\nAgent-Key: ${created.apiKey}\r\n`;
  const body = 'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{';
  for (let n = 0; n < SLOW_SOCKETS; n += 1) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString())).on('error', () => socket.destroy());
    const closed = new Promise((resolve) => socket.once('close', resolve));
    slow.push({ socket, answer: () => answer, closed });
    socket.write(n % 2 === 0 ? head : head + body);
  }
  drip = setInterval(() => {
    for (const [n, { socket }] of slow.entries()) if (!socket.destroyed) socket.write(n % 2 === 0 ? 'X' : ' ');
  }, 500);
}

async function collectedRss(): Promise<number> {
  gateway.kill('SIGUSR2');
  await new Promise((resolve) => setTimeout(resolve, 300));
  return gateway.rssMib();
}

it('every head that is no HTTP', async () => {
  await fire(strangeHeads());
  // Code that has run, not state that was kept.
  const bodies = brokenBodies().slice(0, 12);
  for (const route of routes.filter(({ method }) => method !== 'DELETE'))
    await fire(bodies.map(([name, body]) => shot(route, name, { body })));
  rssBefore = await collectedRss();
  await openSlowSockets();
  await besideHealth(() => fire(strangeHeads()));
});

it('every body that is no JSON object, on every endpoint that takes one', async () => {
  const writing = routes.filter(({ fields }) => fields !== null);
  expect(writing.length).toBeGreaterThanOrEqual(22);
  const shots = writing.flatMap((route) =>
    brokenBodies().map(([name, body, headers]) => shot(route, name, { body, headers })),
  );
  await besideHealth(() => fire(shots));
});

it('every field of every endpoint with values of the wrong kind', async () => {
  const shots = routes.filter(({ fields }) => fields !== null).flatMap(fieldShots);
  expect(shots.length).toBeGreaterThan(800);
  await besideHealth(() => fire(shots));
});

it('every id, query and method that there is not', async () => {
  const shots = routes.flatMap((route) => [
    ...(route.params.length === 0
      ? []
      : STRANGE_IDS.map((id) =>
          shot(route, `id ${id.slice(0, 20)}`, {
            path: route.path.replace(/\{\w+\}/g, id),
            body: route.fields === null ? undefined : '{}',
          }),
        )),
    ...(route.method === 'GET' && route.params.length === 0
      ? STRANGE_QUERIES.map((query) => shot(route, query.slice(0, 30), { path: plainPath(route) + query }))
      : []),
    ...STRANGE_METHODS.map((method) => shot(route, `method ${method}`, { method })),
  ]);
  await besideHealth(() => fire(shots));
});

it('bodies beyond their limits, as declared and as sent', async () => {
  const limits: [string, number][] = [
    ['POST /proxy', 10],
    ['POST /services/{id}/documentation', 20],
    ['POST /auth/login', 1],
    ['POST /services', 1],
  ];
  const shots = limits.flatMap(([name, mebibytes]) => {
    const route = routes.find((each) => each.name === name)!;
    const whole = Buffer.alloc(mebibytes * MIB + 1, '"');
    const declared = shot(route, `${mebibytes} MB and one byte`, { body: whole });
    const chunked = `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
    const size = `${whole.length.toString(16)}\r\n`;
    const streamed = shot(route, `${mebibytes} MB and one byte in chunks`, { headers: chunked });
    return [declared, { ...streamed, bytes: [...streamed.bytes, size, whole, '\r\n0\r\n\r\n'] }];
  });
  await besideHealth(async () => {
    for (const each of shots) {
      const answer = await rawRequest(port, each.bytes);
      // The gateway may close before all is sent, and the answer be lost with it.
      if (answer) expect([each.name, answer.status, faultOf(each, answer)]).toEqual([each.name, 413, null]);
    }
  });
  sent += shots.length;
});

it('documents that unfold', async () => {
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let n = 0; n < 12; n += 1) {
    const [from, to] = [String.fromCharCode(97 + n), String.fromCharCode(98 + n)];
    bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join()}]`);
  }
  const contents = [
    `openapi: 3.1.0\n${bomb.join('\n')}\npaths: *m`,
    'openapi: 3.0.0\npaths: &p {/x: *p}',
    '{"openapi":"3.0.0","paths":{"/x":{"$ref":"#/paths/~1x"}}}',
    `openapi: 3.0.0\npaths:\n${' '.repeat(5000)}- x`,
    `${'['.repeat(50_000)}`,
    'openapi: !!js/function "x"',
  ];
  const route = routes.find(({ name }) => name === 'POST /services/{id}/documentation')!;
  await besideHealth(() =>
    fire(
      contents.map((content, n) =>
        shot(route, `document ${n}`, { body: JSON.stringify({ type: 'openapi', title: 'x', content }) }),
      ),
    ),
  );
});

it(`${SLOW_SOCKETS} clients that never finish, there all the while, starve nobody`, async () => {
  for (let n = 0; n < 20; n += 1) {
    const answer = await call(gateway, 'GET /services', { token: session.accessToken });
    expect(answer.status).toBe(200);
  }
  // Those that do not even finish their head have been told to go.
  await besideHealth(() => Promise.all(slow.filter((_, n) => n % 2 === 0).map(({ closed }) => closed)).then(() => {}));
  expect(slow.filter(({ answer }, n) => n % 2 === 0 && answer().startsWith('HTTP/1.1 408')).length).toBe(
    SLOW_SOCKETS / 2,
  );
  clearInterval(drip);
  for (const { socket } of slow) socket.destroy();
});

it('and afterwards it is as before', async () => {
  expect(sent).toBeGreaterThan(2500);
  expect(slowest.asked).toBeGreaterThan(100);
  expect(slowest.healthMs).toBeLessThan(1000);
  const rss: number[] = [];
  await eventually(async () => {
    rss.push(Math.round(await collectedRss()));
    return rss.at(-1)! < rssBefore + 50;
  }, 10_000).catch(() => {});
  expect(rss.at(-1)! - rssBefore).toBeLessThan(50);
  expect((await call(gateway, 'GET /auth/me', { token: session.accessToken })).status).toBe(200);
  const log = gateway
    .output()
    .split('\n')
    .filter((line) => /"level":(50|60)/.test(line));
  expect(log).toEqual([]);
  if (process.env.SHOW_FIGURES) {
    console.info({ sent, ...slowest, rssBefore, rss });
  }
});
