/** Bodies are bytes in both directions, whether a request is forwarded, held, executed or repeated. */
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Action, HeldResponse } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';
import { McpAgent } from './support/mcp-client.js';
import { rawRequest } from './support/raw-http.js';
import { BINARY, form, FORM, upload, UPLOAD } from './support/uploads.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ BODY_MAX_BYTES: String(80 * 1024) });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.model.answer({ score: 0 });
  gateway.upstream.answer((_call, response) => response.end('{}'));
});

let serial = 0;
const fresh = (): string => `bytes-${++serial}`;
const send = (path: string, body: Buffer, headers?: Record<string, string>, method?: string) =>
  upload(gateway, path, body, headers, method);

it('the limit of the body size applies to the decoded body, on /s/, POST /proxy and MCP', async () => {
  const large = gzipSync(Buffer.alloc(100 * 1024, 'a'));
  const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' };
  const text = 'Request body exceeds 0.08MB limit';
  expect((await send('/large', large, headers)).json()).toMatchObject({ statusCode: 413, error: text });
  const request = {
    method: 'POST' as const,
    targetUrl: `${gateway.upstream.url}/v1/large`,
    intent: 'upload',
    headers,
    bodyBase64: large.toString('base64'),
    idempotencyKey: fresh(),
  };
  expect((await gateway.proxy(request)).json()).toMatchObject({ statusCode: 413, error: text });
  const agent = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
  const { isError, structuredContent } = await agent.call('request', request);
  await agent.close();
  expect([isError, structuredContent]).toMatchObject([true, { error: text }]);
  expect(gateway.upstream.calls).toHaveLength(0);
});

it.each<[string, Buffer, string]>([
  ['a NUL', Buffer.from('\xe9\0<img src=/x onerror="alert(1)">', 'latin1'), 'text/html; charset=ISO-8859-1'],
  ['half of a character', Buffer.from(`{"${'a'.repeat(59)}😀":"<script>alert(1)</script>"}`), 'application/json'],
])('is held if the reason of an effect would quote %s', async (_what, body, type) => {
  gateway.model.answer({ score: 0.9, explanation: 'a script' });
  const held = await send('/pages', body, { 'Content-Type': type });
  expect(held.status).toBe(428);
  const { effects } = await gateway.admin<Action>(`GET /approvals/${held.json<HeldResponse>().action_id}`);
  expect(JSON.stringify(effects)).toContain('\uFFFD');
});

describe('a body below /s/<service>', () => {
  it.each<[string, Buffer, Record<string, string>]>([
    ['binary', BINARY, { 'Content-Type': 'image/png' }],
    ['a form with a file', UPLOAD, FORM],
    ['a form of fields', Buffer.from('a=1&b=%ff&c=\u00fc'), { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), { 'Content-Type': 'application/json; charset=utf-16le' }],
  ])('is forwarded byte for byte: %s', async (_what, body, headers) => {
    const answer = await send('/files', body, headers);
    expect(answer.status).toBe(200);
    const [call] = gateway.upstream.calls;
    expect(call.body.equals(body)).toBe(true);
    expect(call.headers).toMatchObject(
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    );
  });

  const CODED: [string, Buffer, Buffer][] = [
    ['gzip', gzipSync('{"a":1}'), Buffer.from('{"a":1}')],
    ['deflate', deflateSync('{"a":1}'), Buffer.from('{"a":1}')],
    ['br', brotliCompressSync('{"a":1}'), Buffer.from('{"a":1}')],
    ['gzip', gzipSync(BINARY), BINARY],
  ];

  it.each(CODED)(
    'with the coding %s is sent decoded, without digests of the coded bytes',
    async (coding, body, content) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding, 'Content-MD5': 'x', ETag: 'y' };
      expect((await send('/files', body, headers)).status).toBe(200);
      const [call] = gateway.upstream.calls;
      expect(call.body.equals(content)).toBe(true);
      expect(call.headers).toMatchObject({ 'content-type': 'application/json', etag: 'y' });
      expect(call.headers).not.toHaveProperty('content-encoding');
      expect(call.headers).not.toHaveProperty('content-md5');
    },
  );

  describe('of a service that keeps codings', () => {
    const set = (requestCodings: 'keep' | null) =>
      gateway.admin(`PUT /services/${gateway.service.id}`, { requestCodings });
    beforeAll(() => set('keep'));
    afterAll(() => set(null));

    it.each(CODED)('is sent unchanged with the coding %s', async (coding, body) => {
      expect((await send('/files', body, { 'Content-Encoding': coding })).status).toBe(200);
      const [call] = gateway.upstream.calls;
      expect(call.body.equals(body)).toBe(true);
      expect(call.headers).toMatchObject({ 'content-encoding': coding });
    });

    it('with the coding gzip is refused unless it is exactly one gzip member without optional header fields', async () => {
      const named = gzipSync('a=1');
      const withName = Buffer.concat([
        named.subarray(0, 3),
        Buffer.of(8),
        named.subarray(4, 10),
        Buffer.from('_method=DELETE\0'),
        named.subarray(10),
      ]);
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': 'gzip' };
      const bodies = [withName, Buffer.concat([named, named]), gzipSync(gzipSync('a'))];
      const codings = ['gzip', 'gzip', 'gzip, gzip'];
      for (const [at, body] of bodies.entries()) {
        const coded = { ...headers, 'Content-Encoding': codings[at] };
        const answers = [
          await send('/files', body, coded),
          await gateway.proxy({ method: 'PUT', headers: coded, bodyBase64: body.toString('base64') }),
        ];
        for (const answer of answers) {
          expect([at, answer.status, answer.json()]).toMatchObject([
            at,
            400,
            { error: expect.stringContaining('must be exactly one gzip member') as string },
          ]);
        }
      }
      expect(gateway.upstream.calls).toEqual([]);
    });
  });

  it('with the coding aws-chunked is refused for services without AWS Signature V4', async () => {
    const answer = await send('/files', Buffer.from('1\r\na\r\n0\r\n\r\n'), { 'Content-Encoding': 'aws-chunked' });
    expect([answer.status, answer.json()]).toMatchObject([
      415,
      { error: 'Content-Encoding: aws-chunked is for services with AWS Signature V4' },
    ]);
  });

  it('is charged to its agent while it is decoded', async () => {
    const small = await startGateway({ AGENT_MAX_BUFFERED_MB: '1' });
    try {
      const body = gzipSync(Buffer.alloc(4 * 1024 * 1024));
      const answer = await small.proxy({
        method: 'PUT',
        headers: { 'Content-Encoding': 'gzip' },
        bodyBase64: body.toString('base64'),
      });
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([429, 'too_much_buffered']);
      expect(small.upstream.calls).toEqual([]);
    } finally {
      await small.close();
    }
  });

  it('gets a type if it has none', async () => {
    const port = Number(new URL(gateway.url).port);
    const head = `PUT /s/Shop/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAgent-Key: ${gateway.agentKey}\r\nContent-Length: 256\r\n\r\n`;
    expect((await rawRequest(port, [head, BINARY]))?.status).toBe(200);
    expect(gateway.upstream.calls[0].headers['content-type']).toBe('application/octet-stream');
  });

  it('can arrive in chunks, after an Expect: 100-continue', async () => {
    const port = Number(new URL(gateway.url).port);
    const head = `PUT /s/Shop/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAgent-Key: ${gateway.agentKey}\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunks = [BINARY, BINARY].flatMap((chunk) => ['100\r\n', chunk, '\r\n']);
    const answer = await rawRequest(port, [head, ...chunks, '0\r\n\r\n']);
    expect(answer?.status).toBe(200);
    expect(gateway.upstream.calls[0].body.equals(Buffer.concat([BINARY, BINARY]))).toBe(true);
  });

  it('is refused with a clear error when it is too large, decoded or not', async () => {
    const large = randomBytes(80 * 1024 + 1);
    const tooLarge = { error: 'Request body exceeds 0.08MB limit', statusCode: 413 };
    expect((await send('/files', large)).json()).toMatchObject(tooLarge);
    const bomb = gzipSync(Buffer.alloc(80 * 1024 + 1));
    expect((await send('/files', bomb, { 'Content-Encoding': 'gzip' })).json()).toMatchObject(tooLarge);
    const answer = await gateway.proxy({ method: 'PUT', bodyBase64: large.toString('base64') });
    expect(answer.json()).toMatchObject(tooLarge);
    expect(gateway.upstream.calls).toEqual([]);
  });

  it.each<[string, Buffer, Record<string, string>, number, string]>([
    ['is not gzip', BINARY, { 'Content-Encoding': 'gzip' }, 400, 'body: is not valid gzip, as Content-Encoding says'],
    [
      'has an unknown coding',
      BINARY,
      { 'Content-Encoding': 'zstd' },
      415,
      'Content-Encoding must be gzip, deflate or br, or be left out',
    ],
    [
      'is a form without end',
      UPLOAD.subarray(0, -10),
      FORM,
      400,
      'body: is not valid multipart/form-data: its end is missing',
    ],
    [
      'is a form without a boundary',
      UPLOAD,
      { 'Content-Type': 'multipart/form-data' },
      400,
      'Content-Type: multipart/form-data needs a boundary',
    ],
    [
      'is a form with a comma for PHP',
      UPLOAD,
      { 'Content-Type': 'multipart/form-data, boundary=AaB03x' },
      400,
      'Content-Type: multipart/form-data is malformed',
    ],
    [
      'is a form in which Rack takes another boundary',
      UPLOAD,
      { 'Content-Type': 'multipart/form-data; boundary=AaB03x; xboundary=A' },
      400,
      'Content-Type: multipart/form-data must name one plain boundary, once',
    ],
    [
      'is a form in UTF-7 for Django',
      UPLOAD,
      { 'Content-Type': 'multipart/form-data; boundary=AaB03x; charset=utf-7' },
      400,
      'Content-Type: the charset of multipart/form-data must be UTF-8',
    ],
    ...['application/json; charset=utf-7', 'text/plain; charset=UTF-7', 'application/json; charset=GBK'].map(
      (type): [string, Buffer, Record<string, string>, number, string] => [
        `is JSON that a server may read otherwise: ${type}`,
        Buffer.from('{"to":"alice","note":"+ACIALAAi-"}'),
        { 'Content-Type': type },
        400,
        'Content-Type: the charset of this body must be UTF-8',
      ],
    ),
    [
      'is a form in EBCDIC',
      Buffer.from('%6D%94%85%A3%88%96%84=%C4%C5%D3%C5%E3%C5'),
      { 'Content-Type': 'application/x-www-form-urlencoded; charset=IBM037' },
      400,
      'Content-Type: the charset of this body must be UTF-8',
    ],
    [
      'is a form of too many parts',
      Buffer.from(`${'--AaB03x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n'.repeat(1001)}--AaB03x--`),
      FORM,
      400,
      'body: is not valid multipart/form-data: it has more than 1000 parts',
    ],
  ])('is refused when it %s', async (_what, body, headers, status, error) => {
    const answer = await send('/files', body, headers);
    expect([answer.status, answer.json()]).toMatchObject([status, { error, message: error }]);
    expect(gateway.upstream.calls).toEqual([]);
  });

  it.each<[string, (text: string) => Buffer, Record<string, string>]>([
    ['a file', (text) => form(['name="f"; filename="f"', Buffer.concat([BINARY, Buffer.from(text)])]), FORM],
    ['gzip', (text) => gzipSync(text), { 'Content-Encoding': 'gzip' }],
    ['bytes', (text) => Buffer.concat([BINARY, Buffer.from(text)]), { 'Content-Type': 'image/png' }],
  ])('must not contain an agent key: %s', async (_what, write, headers) => {
    const answer = await send('/files', write(gateway.agentKey), headers);
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([400, 'agent_key_exposed']);
  });
});

describe('POST /proxy', () => {
  it('takes a binary body as base64', async () => {
    const answer = await gateway.proxy({ method: 'PUT', bodyBase64: BINARY.toString('base64') });
    expect(answer.status).toBe(200);
    expect(gateway.upstream.calls[0].body.equals(BINARY)).toBe(true);
    expect(gateway.upstream.calls[0].headers['content-type']).toBe('application/octet-stream');
  });

  it('takes a large one', async () => {
    const other = await gateway.secondInstance();
    try {
      const body = randomBytes(7 * 1024 * 1024);
      const answer = await other.proxy({ method: 'PUT', bodyBase64: body.toString('base64') });
      expect(answer.status).toBe(200);
      expect(gateway.upstream.calls[0].body.equals(body)).toBe(true);
    } finally {
      await other.app.close();
    }
  });

  it('treats base64 of a text like the text', async () => {
    const idempotencyKey = fresh();
    const first = await gateway.proxy({ method: 'POST', body: '{"a":1}', idempotencyKey });
    const again = await gateway.proxy({ method: 'POST', bodyBase64: btoa('{"a":1}'), idempotencyKey });
    expect([first.status, again.status, gateway.upstream.calls.length]).toEqual([200, 200, 1]);
    expect(gateway.upstream.calls[0].headers['content-type']).toBe('application/json');
  });

  it.each([
    [{ body: 'a', bodyBase64: 'YQ==' }, 'bodyBase64: send either body or bodyBase64, not both'],
    [{ bodyBase64: 'YQ' }, 'bodyBase64: must be base64 with padding and without line breaks'],
    [{ bodyBase64: 'Y Q=' }, 'bodyBase64: must be base64 with padding and without line breaks'],
    [{ bodyBase64: 7 as unknown as string }, 'bodyBase64: must be a string'],
  ])('refuses %j', async (fields, error) => {
    const answer = await gateway.proxy({ method: 'PUT', ...fields });
    expect([answer.status, answer.json()]).toMatchObject([400, { error }]);
  });
});

describe('an idempotency key', () => {
  it('tells binary bodies apart by their bytes', async () => {
    const headers = { 'Idempotency-Key': fresh() };
    const changed = Buffer.from(BINARY);
    changed[255] = 0xfe;
    const statuses = [
      (await send('/files', BINARY, headers)).status,
      (await send('/files', BINARY, headers)).status,
      (await send('/files', changed, headers)).status,
    ];
    expect([statuses, gateway.upstream.calls.length]).toEqual([[200, 200, 422], 1]);
  });
});

describe('answers below /s/<service>', () => {
  it('keep Range, 206, ETag and 304 of the upstream', async () => {
    gateway.upstream.answer(({ headers }, response) => {
      if (headers['if-none-match'] === '"v1"') return response.writeHead(304, { ETag: '"v1"' }).end();
      response.writeHead(206, { ETag: '"v1"', 'Content-Range': 'bytes 0-255/999', 'Content-Type': 'image/png' });
      return response.end(BINARY);
    });
    const get = (headers: Record<string, string>) =>
      fetch(`${gateway.url}/s/Shop/file`, {
        headers: { 'Agent-Key': gateway.agentKey, 'X-Intent': 'look', ...headers },
      });
    const part = await get({ Range: 'bytes=0-255' });
    expect([part.status, part.headers.get('content-range'), part.headers.get('etag')]).toEqual([
      206,
      'bytes 0-255/999',
      '"v1"',
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(BINARY)).toBe(true);
    expect(gateway.upstream.calls[0].headers.range).toBe('bytes=0-255');
    expect((await get({ 'If-None-Match': '"v1"' })).status).toBe(304);
  });

  it('pass OPTIONS through', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(204, { Allow: 'GET, PUT' }).end());
    const response = await fetch(`${gateway.url}/s/Shop/file`, {
      method: 'OPTIONS',
      headers: { 'Agent-Key': gateway.agentKey, 'X-Intent': 'look' },
    });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, PUT']);
  });
});
