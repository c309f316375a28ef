/**
 * Sends malformed requests to every endpoint of the built gateway. Each one gets a status below 500 in the error
 * envelope, the gateway frees its memory, and other requests are served meanwhile.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateAgentResponse, LoginResponse } from '#contracts';
import {
  brokenBodies,
  GOOD_VALUES,
  strangeHeads,
  STRANGE_IDS,
  STRANGE_METHODS,
  STRANGE_QUERIES,
  WRONG_VALUES,
  type Shot,
} from '../corpus/malformed.js';
import { call, login, register } from '../support/accounts.js';
import { apiRoutes, type ApiRoute } from '../support/api-routes.js';
import { startChildGateway, type ChildGateway } from '../support/child-gateway.js';
import { eventually } from '../support/eventually.js';
import { rawRequest, type RawAnswer } from '../support/raw-http.js';
import { createAgent, createDocument, createRule, createService } from '../support/resources.js';

const PARALLEL = 16;
const SLOW_SOCKETS = 500;
const MIB = 1024 * 1024;

let gateway: ChildGateway;
let port: number;
let routes: ApiRoute[];
let session: LoginResponse;
let created: CreateAgentResponse;
let directory: string;
let sent = 0;
const health = { asked: 0 };
let memoryBefore: number;
/** What the gateway wrote while it started: on a busy machine also that the database took long to answer. */
let startOutput: string;
const slow: { socket: Socket; answer: () => string; closed: Promise<unknown> }[] = [];
let drip: NodeJS.Timeout;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'agw-gc-'));
  const collectOnSignal = join(directory, 'gc.cjs');
  // Measures what is still in use after a collection. Resident memory also has pages that the allocator keeps for
  // later.
  writeFileSync(
    collectOnSignal,
    `require('node:v8').setFlagsFromString('--expose-gc');
     const collect = require('node:vm').runInNewContext('gc');
     const { renameSync, writeFileSync } = require('node:fs');
     process.on('SIGUSR2', () => {
       collect();
       // Finalizers run after the first collection. They free memory for the second one.
       setImmediate(() => {
         collect();
         const { heapUsed, external } = process.memoryUsage();
         writeFileSync('${memoryFile()}.new', String(heapUsed + external));
         renameSync('${memoryFile()}.new', '${memoryFile()}');
       });
     });`,
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
  startOutput = gateway.output();
});

afterAll(async () => {
  clearInterval(drip);
  for (const { socket } of slow) socket.destroy();
  await gateway?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const credential = ({ guard, path }: ApiRoute): string => {
  // The response of this endpoint never ends.
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

/** Bodies that are valid except for one field. */
function fieldShots(route: ApiRoute): Shot[] {
  const own = Object.fromEntries(route.fields!.map((name) => [name, GOOD_VALUES[name]]));
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
      const answer = await rawRequest(port, next.bytes, next.mayBeSilent ? AbortSignal.timeout(500) : undefined);
      const fault = answer === null ? (next.mayBeSilent ? null : 'no answer') : findFault(next, answer);
      if (fault !== null) faults.push([next.name, fault]);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  sent += shots.length;
  expect(faults).toEqual([]);
}

function findFault({ bytes, bare }: Shot, { status, headers, body }: RawAnswer): string | null {
  if (status >= 500) return `${status} ${body}`;
  if (status < 400 || bare || String(bytes[0]).startsWith('HEAD')) return null;
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return `${status} as ${headers['content-type']}`;
  if (!headers['x-request-id']) return `${status} without a request id`;
  try {
    const parsed = JSON.parse(body) as Record<string, unknown>;
    const { error, statusCode, next, message = error, error_description: described = error, ...rest } = parsed;
    const stack = /\bat .+:\d+:\d+|node_modules|SELECT |INSERT /.test(String(error));
    const held = status === 428;
    return typeof error === 'string' &&
      ['string', 'undefined'].includes(typeof next) &&
      message === error &&
      described === error &&
      !stack &&
      statusCode === status &&
      (held || Object.keys(rest).length === 0)
      ? null
      : `${status} ${body}`;
  } catch {
    return `${status} ${body.slice(0, 200)}`;
  }
}

/** Requests /health while the work runs. */
async function besideHealth(work: () => Promise<void>): Promise<void> {
  let over = false;
  const poll = async (): Promise<void> => {
    while (!over) {
      const answer = await rawRequest(port, ['GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n']);
      expect(answer?.status).toBe(200);
      health.asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const polling = poll();
  await work().finally(() => (over = true));
  await polling;
}

/** Half of the sockets never finish their head, half never finish their body. */
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

const memoryFile = (): string => join(directory, 'memory');

/** Memory in use after a collection, in MiB: objects of JavaScript, and buffers outside its heap. */
async function memoryInUse(): Promise<number> {
  rmSync(memoryFile(), { force: true });
  gateway.kill('SIGUSR2');
  await eventually(() => existsSync(memoryFile()));
  return Number(readFileSync(memoryFile(), 'utf8')) / MIB;
}

it('every head that is not HTTP', async () => {
  await fire(strangeHeads({ accessToken: session.accessToken, apiKey: created.apiKey }));
  // This run loads code lazily, which must not count as kept state.
  const bodies = brokenBodies().slice(0, 12);
  for (const route of routes.filter(({ method }) => method !== 'DELETE'))
    await fire(bodies.map(([name, body]) => shot(route, name, { body })));
  memoryBefore = await memoryInUse();
  await openSlowSockets();
  await besideHealth(() => fire(strangeHeads({ accessToken: session.accessToken, apiKey: created.apiKey })));
});

it('every body that is not a JSON object, on every endpoint with a body', async () => {
  const writing = routes.filter(({ fields }) => fields !== null);
  expect(writing.length).toBeGreaterThanOrEqual(22);
  const shots = writing.flatMap((route) =>
    brokenBodies().map(([name, body, headers]) => shot(route, name, { body, headers })),
  );
  await besideHealth(() => fire(shots));
});

it('every field of every endpoint with values of the wrong type', async () => {
  const shots = routes.filter(({ fields }) => fields !== null).flatMap(fieldShots);
  expect(shots.length).toBeGreaterThan(800);
  await besideHealth(() => fire(shots));
});

it('every unknown id, query and method', async () => {
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

it('bodies over their limits, declared and actual', async () => {
  // The test of `rotate-key` replaced the earlier key, and authentication comes before the size check.
  const { id } = await createService(gateway, session.accessToken, { baseUrl: 'http://127.0.0.1:9/v1' });
  created = await createAgent(gateway, session.accessToken, [id]);
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
      // The gateway may close the connection before the client has sent everything, and then the response is lost.
      if (answer) expect([each.name, answer.status, findFault(each, answer)]).toEqual([each.name, 413, null]);
    }
  });
  sent += shots.length;
});

it('documents that expand', async () => {
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

it(`${SLOW_SOCKETS} clients that never finish do not block other requests`, async () => {
  for (let n = 0; n < 20; n += 1) {
    const answer = await call(gateway, 'GET /services', { token: session.accessToken });
    expect(answer.status).toBe(200);
  }
  // The gateway has already closed the sockets that do not finish their head.
  await besideHealth(() => Promise.all(slow.filter((_, n) => n % 2 === 0).map(({ closed }) => closed)).then(() => {}));
  expect(slow.filter(({ answer }, n) => n % 2 === 0 && answer().startsWith('HTTP/1.1 408')).length).toBe(
    SLOW_SOCKETS / 2,
  );
  clearInterval(drip);
  for (const { socket } of slow) socket.destroy();
});

it('memory is back to where it was', async () => {
  expect(sent).toBeGreaterThan(2500);
  expect(health.asked).toBeGreaterThan(100);
  const memory: number[] = [];
  // Connections that the gateway is still closing hold memory until they are closed.
  await eventually(async () => {
    memory.push(Math.round(await memoryInUse()));
    return memory.at(-1)! < memoryBefore * 1.25;
  }).catch(() => {});
  expect(memory.at(-1)! / memoryBefore).toBeLessThan(1.25);
  expect((await call(gateway, 'GET /auth/me', { token: session.accessToken })).status).toBe(200);
  const log = gateway
    .output()
    .slice(startOutput.length)
    .split('\n')
    .filter((line) => /"level":(50|60)/.test(line))
    // The database of a busy machine is slow, whatever is sent.
    .filter((line) => !line.includes('timeout exceeded when trying to connect'));
  expect(log).toEqual([]);
  if (process.env.SHOW_FIGURES) {
    console.info({ sent, ...health, memoryBefore, memory });
  }
});
