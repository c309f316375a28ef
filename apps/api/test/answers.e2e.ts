import { connect } from 'node:net';
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { Octokit } from '@octokit/rest';
import type { HeldResponse, Service } from '#contracts';
import { eventually } from './support/eventually.js';
import { rawRequest } from './support/raw-http.js';
import { SECRET, startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

/** How answers of upstreams arrive: their codings, digests, octets and links, through every door. */
let gateway: Gateway;
let stranger: Server;
let strangerUrl: string;
const strangerCalls: unknown[] = [];
beforeAll(async () => {
  gateway = await startGateway();
  stranger = createServer((request, response) => {
    strangerCalls.push(request.headers);
    response.setHeader('Content-Type', 'application/json');
    response.end('[]');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await gateway.close();
  stranger.closeAllConnections();
  stranger.close();
});
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  strangerCalls.length = 0;
  gateway.model.answer({ score: 0, explanation: 'harmless' });
});

const base = (): string => `${gateway.upstream.url}/v1`;
const answerWith = (status: number, headers: Record<string, string | string[]>, body: string | Buffer = ''): void =>
  gateway.upstream.answer((_call, response) => response.writeHead(status, headers).end(body));

/** What an API says if everybody gets the same answer, and what an agent gets: its key chose the credentials. */
const CACHED = { 'Cache-Control': 'public, s-maxage=60, max-age=30', Vary: 'Accept' };
const OWN_CACHE = [
  'private, max-age=30',
  'Accept, Agent-Key, Authorization, X-Api-Key, Api-Key, X-Goog-Api-Key, Private-Token',
];
const readCaching = ({ headers }: ProxyAnswer) => ['cache-control', 'vary'].map((name) => headers.get(name));

/** The same request through each door. */
const DOORS: Record<string, (key?: string) => Promise<ProxyAnswer>> = {
  '/proxy': (key) => gateway.proxy({ method: 'POST', idempotencyKey: key ?? randomUUID() }),
  '/proxy, streamed': (key) =>
    gateway.proxy({ method: 'POST', idempotencyKey: key ?? randomUUID() }, { Prefer: 'stream' }),
  '/s/': (key) =>
    gateway.agentCall('POST', '/s/Shop/customers', undefined, {
      'X-Intent': 'look',
      'Idempotency-Key': key ?? randomUUID(),
    }),
  '/s/, streamed': (key) =>
    gateway.agentCall('POST', '/s/Shop/customers', undefined, {
      'X-Intent': 'look',
      Prefer: 'stream',
      'Idempotency-Key': key ?? randomUUID(),
    }),
  execute: async () => {
    const { action_id } = await gateway.hold({ targetUrl: `${base()}/customers/${randomUUID()}` });
    gateway.model.answer({ score: 0 });
    await gateway.approve(action_id);
    return gateway.execute(action_id);
  },
};
const doors = Object.entries(DOORS);
const keyed = doors.filter(([name]) => name !== 'execute');

describe.each(doors)('through %s', (_door, send) => {
  it.each(['UTF-8', 'none', 'aws-chunked'])('a body whose coding is %s passes as it came', async (coding) => {
    answerWith(201, { 'Content-Encoding': coding, 'Content-Type': 'application/json' }, '{"id":7}');
    const answer = await send();
    expect([answer.status, answer.headers.get('content-encoding'), answer.text]).toEqual([201, coding, '{"id":7}']);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('a body with the Content-Encoding none is not decoded, and its secrets are redacted', async () => {
    answerWith(
      200,
      { 'Content-Encoding': 'none', 'Content-Type': 'image/png' },
      Buffer.from(`\xff${SECRET}`, 'latin1'),
    );
    expect((await send()).bytes.toString('latin1')).toBe('\xff[REDACTED]');
  });

  it.each(['text/plain', 'text/event-stream'])('deflate without the header of zlib is decoded: %s', async (type) => {
    const body = deflateRawSync('data: some text\n\n');
    answerWith(200, { 'Content-Encoding': 'deflate', 'Content-Type': type }, body);
    const { text, headers } = await send();
    expect([text, headers.get('content-encoding')]).toEqual(['data: some text\n\n', null]);
  });

  it('only a cache of the agent may keep it', async () => {
    answerWith(200, CACHED, '{}');
    expect(readCaching(await send())).toEqual(OWN_CACHE);
  });

  it('digests of a gzip body are removed when the gateway decodes the body', async () => {
    const body = gzipSync('{"a":1}');
    const digests = {
      'Content-MD5': createHash('md5').update(body).digest('base64'),
      Digest: 'sha-256=x',
      'Content-Digest': 'sha-256=:x:',
      'Repr-Digest': 'sha-256=:x:',
      'x-amz-checksum-crc32': 'x',
      'x-amz-content-sha256': 'x',
      'x-goog-hash': ['crc32c=x', 'md5=x'],
      'x-goog-stored-content-length': '27',
      'x-ms-blob-content-md5': 'x',
      'x-ms-content-crc64': 'x',
      'X-Checksum-Sha1': 'x',
    };
    answerWith(200, { ...digests, 'Content-Encoding': 'gzip', ETag: '"1"', 'X-Total': '7' }, body);
    const { headers, text } = await send();
    expect([text, headers.get('etag'), headers.get('x-total')]).toEqual(['{"a":1}', 'W/"1"', '7']);
    expect(Object.keys(digests).filter((name) => headers.has(name))).toEqual([]);
  });

  it('a header with a link to another host is renamed to X-Upstream-… or removed', async () => {
    const [inside, evil] = [`${base()}/x`, `${strangerUrl}/v1/x`];
    answerWith(200, {
      Link: [`<${evil}>; rel="next"`, `<${evil}?last>; rel="last"`],
      'Content-Location': evil,
      'Operation-Location': evil,
      'X-Next-Page-Url': `//${new URL(strangerUrl).host}/x`,
      'X-Pagination': JSON.stringify({ next: evil }),
      Refresh: `0;url=${evil}`,
      SourceMap: evil,
      'Alt-Svc': 'h3="evil.example:443"',
      'Report-To': JSON.stringify({ endpoints: [{ url: evil }] }),
      NEL: '{"report_to":"x"}',
      'Reporting-Endpoints': `x="${evil}"`,
      'X-Upstream-Location': 'forged',
      'X-UPSTREAM-Forged': 'forged',
      'X-Accel-Redirect': '/etc/passwd',
      'X-Fine': inside,
    });
    const { headers } = await send();
    const named = [...headers].filter(
      ([, value]) => value.includes(new URL(strangerUrl).host) || /forged|evil|etc/.test(value),
    );
    expect(named.map(([name]) => name).sort()).toEqual(
      ['content-location', 'link', 'next-page-url', 'operation-location', 'pagination', 'refresh']
        .map((name) => (name.startsWith('next') || name === 'pagination' ? `x-${name}` : name))
        .map((name) => `x-upstream-${name}`)
        .sort(),
    );
  });
});

describe.each(keyed)('a repeat through %s', (_door, send) => {
  /** The copy of a streamed answer is stored after its end. Until then a repeat is refused with 409. */
  const repeat = (key: string): ReturnType<typeof send> =>
    eventually(async () => {
      const again = await send(key);
      return again.status !== 409 && again;
    });

  it('has the same cache headers as the first answer', async () => {
    answerWith(200, CACHED, '{}');
    const key = randomUUID();
    const [first, again] = [await send(key), await repeat(key)];
    expect([readCaching(first), readCaching(again)]).toEqual([OWN_CACHE, OWN_CACHE]);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it.each(['none', 'UTF-8', 'aws-chunked'])('gets the same octets and coding: %s', async (coding) => {
    const octets = Buffer.from('attachment; filename="Gr\u00fc\u00dfe \u5bff.txt"').toString('latin1');
    answerWith(200, { 'Content-Encoding': coding, 'Content-Type': 'text/plain', 'Content-Disposition': octets }, 'abc');
    const key = randomUUID();
    const [first, again] = [await send(key), await repeat(key)];
    expect([first.text, again.text]).toEqual(['abc', 'abc']);
    expect([first, again].map(({ headers }) => headers.get('content-encoding'))).toEqual([coding, coding]);
    expect(again.headers.get('content-disposition')).toBe(first.headers.get('content-disposition'));
    expect(gateway.upstream.calls).toHaveLength(1);
  });
});

it.each([
  ['/s/', ''],
  ['/s/, streamed', 'Prefer: stream\r\n'],
  ['/proxy', ''],
  ['/proxy, streamed', 'Prefer: stream\r\n'],
])('a range of a gzip object passes with its range and coding through %s', async (door, more) => {
  const part = gzipSync('some text that is long enough').subarray(10, 30);
  const headers = {
    'Content-Encoding': 'gzip',
    'Content-Range': 'bytes 10-29/99',
    ETag: '"1"',
    'Content-Type': 'text/plain',
  };
  answerWith(206, headers, part);
  const range = 'bytes=10-29';
  const request = { method: 'GET', targetUrl: `${base()}/x`, headers: { Range: range }, intent: 'look' };
  const body = door.startsWith('/s/') ? '' : JSON.stringify(request);
  const head = [
    door.startsWith('/s/') ? `GET /s/Shop/x HTTP/1.1\r\nRange: ${range}` : 'POST /proxy HTTP/1.1',
    'Host: x\r\nConnection: close\r\nX-Intent: look\r\nContent-Type: application/json',
    `Content-Length: ${body.length}\r\n${more}Agent-Key: ${gateway.agentKey}\r\n\r\n`,
  ];
  const answer = await rawRequest(Number(new URL(gateway.url).port), [head.join('\r\n'), body]);
  expect(answer).toMatchObject({
    status: 206,
    headers: { 'content-encoding': 'gzip', 'content-range': 'bytes 10-29/99', etag: '"1"' },
    body: expect.stringContaining(part.toString('latin1')) as string,
  });
  expect(gateway.upstream.calls.map((call) => call.headers.range)).toEqual([range]);
});

it('digests stay with a body that did not change, and go when a secret in it is redacted', async () => {
  const headers = { 'Content-MD5': 'x', 'Repr-Digest': 'x', ETag: '"1"', 'Content-Type': 'text/plain' };
  answerWith(200, headers, 'abc');
  const same = (await gateway.proxy()).headers;
  expect([same.get('content-md5'), same.get('repr-digest'), same.get('etag')]).toEqual(['x', 'x', '"1"']);
  answerWith(200, headers, `you said ${SECRET}`);
  const other = (await gateway.proxy()).headers;
  expect([other.get('content-md5'), other.get('repr-digest'), other.get('etag')]).toEqual([null, null, 'W/"1"']);
});

it('digests go when links in the body are rewritten', async () => {
  await gateway.admin<Service>(`PUT /services/${gateway.service.id}`, { rewriteLinks: 'bodies' });
  answerWith(
    200,
    { 'Content-MD5': 'x', 'X-Goog-Hash': 'x', ETag: '"1"', 'Content-Type': 'application/json' },
    `{"next":"${base()}/x"}`,
  );
  const answer = await DOORS['/s/']();
  await gateway.admin<Service>(`PUT /services/${gateway.service.id}`, { rewriteLinks: 'headers' });
  expect(answer.text).toBe(`{"next":"${gateway.url}/s/Shop/x"}`);
  expect(['content-md5', 'x-goog-hash', 'etag'].map((name) => answer.headers.get(name))).toEqual([null, null, 'W/"1"']);
});

describe('octets of headers', () => {
  /** The head of an answer, byte for byte. */
  const readHead = (request: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(request));
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')[0]));
    });
  /** See `repeat` above. */
  const readStoredHead = (request: string): Promise<string> =>
    eventually(async () => {
      const head = await readHead(request);
      return !head.startsWith('HTTP/1.1 409 ') && head;
    });
  const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
  const names = ['content-disposition', 'location', 'x-octets'];
  const valuesIn = (head: string): string[] =>
    names.map(
      (name) =>
        head
          .split('\r\n')
          .find((line) => line.toLowerCase().startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? '',
    );

  const call = (path: string, lines: string[], body = ''): string =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: gateway.example',
      'Connection: close',
      `Agent-Key: ${gateway.agentKey}`,
      ...lines,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');

  it.each([
    ['UTF-8', utf8('Gr\u00fc\u00dfe \u5bff\u53f8')],
    ['Latin-1', 'Gr\xfc\xdfe'],
  ])('in %s arrive as they were sent, first and replayed', async (_what, octets) => {
    const sent = [`attachment; filename="${octets}.txt"`, `${base()}/caf${octets.replaceAll(' ', '')}`, `x ${octets}`];
    gateway.upstream.answer((_call, response) => {
      const head = names.map((name, n) => `${name}: ${sent[n]}`).join('\r\n');
      response.socket!.end(
        `HTTP/1.1 201 Created\r\n${head}\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc`,
        'latin1',
      );
    });
    for (const more of [[], ['Prefer: stream']]) {
      const key = randomUUID();
      const below = call('/s/Shop/customers', ['X-Intent: look', `Idempotency-Key: ${key}`, ...more]);
      const there = [sent[0], sent[1].replace(base(), 'http://gateway.example/s/Shop'), sent[2]];
      expect([valuesIn(await readHead(below)), valuesIn(await readStoredHead(below))]).toEqual([there, there]);
      const body = JSON.stringify({
        method: 'POST',
        targetUrl: `${base()}/customers`,
        intent: 'look',
        idempotencyKey: randomUUID(),
      });
      const proxied = call('/proxy', ['Content-Type: application/json', ...more], body);
      expect([valuesIn(await readHead(proxied)), valuesIn(await readStoredHead(proxied))]).toEqual([sent, sent]);
    }
    const held: HeldResponse = await gateway.hold();
    await gateway.approve(held.action_id);
    expect(valuesIn(await readHead(call(`/proxy/execute/${held.action_id}`, [])))).toEqual(sent);
  });
});

describe('a redirect', () => {
  it.each(['/v1/new', 'https://elsewhere.example/', '//elsewhere.example'])(
    'leaves as X-Upstream-Location on /proxy and execute: %s',
    async (location) => {
      for (const status of [301, 302, 303, 307, 308]) {
        answerWith(status, { Location: location });
        for (const door of ['/proxy', '/proxy, streamed', 'execute']) {
          const { headers } = await DOORS[door]();
          expect([headers.get('location'), headers.get('x-upstream-location')]).toEqual([null, location]);
        }
      }
    },
  );

  it('does not include 201, whose Location header stays unchanged', async () => {
    answerWith(201, { Location: '/v1/orders/7' });
    for (const door of ['/proxy', 'execute'])
      expect((await DOORS[door]()).headers.get('location')).toBe('/v1/orders/7');
  });
});

it('@octokit/rest pages through the gateway, and its key never goes to another host', async () => {
  gateway.upstream.answer(({ path }, response) => {
    const page = Number(new URL(path, base()).searchParams.get('page') ?? 1);
    const next = page < 2 ? `${base()}/repos/o/r/issues?page=2` : `${strangerUrl}/repos/o/r/issues?page=3`;
    response.writeHead(200, { 'Content-Type': 'application/json', Link: `<${next}>; rel="next"` });
    response.end(JSON.stringify([{ number: page }]));
  });
  const client = new Octokit({ baseUrl: `${gateway.url}/s/Shop`, auth: gateway.agentKey });
  const issues = await client.paginate(client.issues.listForRepo, { owner: 'o', repo: 'r' });
  expect(issues.map(({ number }) => number)).toEqual([1, 2]);
  expect(strangerCalls).toEqual([]);
});
