/** Clients that hang up while the gateway reads their bodies. What a body takes counts until the work with it is done. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

const MIB = 1024 * 1024;
const ROOM_MB = 16;
/** Together more than the room of a person, which is 128 MB. */
const TIMES = 16;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ AGENT_MAX_BUFFERED_MB: String(ROOM_MB) });
  gateway.model.answer({ score: 0 });
});
afterAll(() => gateway.close());

/** Sends a whole request and closes the connection at once. Resolves when the gateway has closed it too. */
function sendAndLeave(path: string, headers: Record<string, string>, body: Buffer): Promise<void> {
  const all = { Host: 'x', 'Agent-Key': gateway.agentKey, ...headers, 'Content-Length': body.length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => {
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
      socket.end(body);
    });
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

it.each([
  ['below a base URL', '/s/Shop/orders'],
  // The gateway looks for the service in the database first, so the client is gone when the body is decoded.
  ['for a service that the agent does not have', '/s/Nope/orders'],
])('the memory of a compressed body is freed after its client has disconnected, %s', async (how, path) => {
  const body = gzipSync(Buffer.alloc(9 * MIB));
  for (let n = 0; n < TIMES; n++) {
    const headers = { 'Idempotency-Key': `${how} ${n}`, 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' };
    await sendAndLeave(path, headers, body);
  }
  const large = { method: 'POST', body: 'x'.repeat(9 * MIB), idempotencyKey: `after ${how}` };
  await eventually(async () => (await gateway.proxy(large)).status === 200);
});

it('the memory limit of an agent also applies to bodies whose clients have disconnected', async () => {
  const waiting: (() => void)[] = [];
  gateway.upstream.answer((_call, response) => void waiting.push(() => response.end('done')));
  const before = gateway.upstream.calls.length;
  for (let n = 0; n < TIMES; n++) {
    const request = {
      method: 'POST',
      targetUrl: `${gateway.upstream.url}/v1/left/${n}`,
      intent: 'leave at once',
      idempotencyKey: `left ${n}`,
      body: 'x'.repeat(7 * MIB),
    };
    await sendAndLeave('/proxy', { 'Content-Type': 'application/json' }, Buffer.from(JSON.stringify(request)));
  }
  // A small one of the same agent, which comes last.
  const last = gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1/last` });
  await eventually(() => Promise.resolve(gateway.upstream.calls.some(({ path }) => path === '/v1/last')));
  const sent = gateway.upstream.calls.length - before - 1;
  for (const answer of waiting) answer();
  await last;
  expect(sent * 7).toBeLessThanOrEqual(ROOM_MB);
});
