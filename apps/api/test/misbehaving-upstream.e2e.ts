import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.model.answer({ score: 0 });
});

describe('a misbehaving upstream', () => {
  it.each<[string, number, RegExp, Parameters<Gateway['upstream']['answer']>[0]]>([
    [
      'declares more than it sends',
      502,
      /^Failed to forward request to 127\.0\.0\.1: /,
      (_call, response) => {
        response.writeHead(200, { 'Content-Length': '1000' });
        response.write('short', () => response.socket?.destroy());
      },
    ],
    [
      'sends no HTTP',
      502,
      /^Failed to forward request to 127\.0\.0\.1: /,
      (_call, response) => void response.socket?.end('SSH-2.0-nonsense\r\n'),
    ],
    [
      'sends a status of its own',
      502,
      /^Failed to forward request to 127\.0\.0\.1: /,
      (_call, response) => void response.socket?.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
    ],
    [
      'declares 11 MB',
      413,
      /^Response size exceeds 10MB limit$/,
      (_call, response) => {
        response.writeHead(200, { 'Content-Length': String(11 * 1024 * 1024) });
        response.flushHeaders();
      },
    ],
    [
      'sends a gzip bomb',
      413,
      /^Response size exceeds 10MB limit$/,
      (_call, response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' });
        response.end(gzipSync(Buffer.alloc(50 * 1024 * 1024)));
      },
    ],
    [
      'switches protocols',
      502,
      /^Failed to forward request to 127\.0\.0\.1: /,
      (_call, response) =>
        void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    ],
  ])('%s: %i', async (_name, status, error, answer) => {
    gateway.upstream.answer(answer);
    const refusal = await gateway.proxy({});
    expect([refusal.status, refusal.json()]).toEqual([
      status,
      expect.objectContaining({ error: expect.stringMatching(error), statusCode: status }),
    ]);
  });

  describe('an upstream that never answers', () => {
    let silent: Server;
    let calls: string[];
    beforeAll(async () => {
      calls = [];
      // One server hangs, and one sends a byte now and then. The timeout ends both.
      silent = createServer((request, response) => {
        calls.push(request.method ?? '');
        if (!request.url?.endsWith('drip')) return;
        response.writeHead(200);
        const timer = setInterval(() => response.write('.'), 100);
        response.on('close', () => clearInterval(timer));
      });
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => {
      silent.close();
      silent.closeAllConnections();
    });

    it('gets 504 Request timeout (30s limit exceeded), which a key replays', async () => {
      const { port } = silent.address() as AddressInfo;
      const upstreamMs = 2_000;
      const other = await gateway.secondInstance({ PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${port}` }, { upstreamMs });
      const service = await gateway.createService({ name: 'Silent', baseUrl: `http://127.0.0.1:${port}` });
      const { apiKey } = await gateway.createAgent('waits', [service.id]);
      const key = { 'Agent-Key': apiKey };
      const send = (method: string, path: string, idempotencyKey?: string) =>
        other.proxy({ method, targetUrl: `http://127.0.0.1:${port}/${path}`, idempotencyKey }, key);
      const timeout = { error: 'Request timeout (30s limit exceeded)', statusCode: 504 };

      const before = Date.now();
      const answers = await Promise.all([
        send('GET', 'hang'),
        send('GET', 'drip'),
        send('POST', 'hang', 'hangs'),
        send('PUT', 'hang', 'hangs-too'),
      ]);
      expect(Date.now() - before).toBeGreaterThanOrEqual(upstreamMs - 10);
      for (const answer of answers) {
        expect([answer.status, answer.json()]).toEqual([504, timeout]);
        expect(answer.headers.get('x-proxy-status')).toBeNull();
      }
      expect(calls).toHaveLength(4);

      expect(answers.map(({ headers }) => headers.get('x-idempotency-status'))).toEqual([
        null,
        null,
        'processed',
        'processed',
      ]);
      const replay = await send('POST', 'hang', 'hangs');
      expect([replay.status, replay.json()]).toEqual([504, timeout]);
      expect(replay.headers.get('x-idempotency-status')).toBe('processed');
      expect(calls).toHaveLength(4);

      const records = await other.audit('&q=Silent');
      expect(records.filter(({ outcome, status }) => outcome === 'forwarded' && status === 504)).toHaveLength(4);
      await other.app.close();
    });
  });
});
