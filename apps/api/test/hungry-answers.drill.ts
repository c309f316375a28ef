/** One agent and its API do their worst with answers. The chaos test `hungryAgent` measures the same. */
import { gzipSync } from 'node:zlib';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

const MIB = 1024 * 1024;
const AT_ONCE = 20;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ AGENT_MAX_BUFFERED_MB: '3' });
  gateway.model.answer({ score: 0 });
});
afterAll(() => gateway.close());

it.each([
  ['of a declared length', {}, (text: string) => [text]],
  ['in chunks', {}, (text: string) => [text.slice(0, MIB), text.slice(MIB)]],
  ['that are compressed', { 'content-encoding': 'gzip' }, (text: string) => [gzipSync(text)]],
])(
  'simultaneous answers %s that exceed the memory limit of the agent arrive whole, or their requests are not sent',
  async (_how, headers, cut) => {
    const text = 'an answer '.repeat((2 * MIB) / 10);
    gateway.upstream.answer((_call, response) => {
      const parts = cut(text);
      response.writeHead(200, { ...headers, ...(parts.length === 1 ? { 'content-length': parts[0].length } : {}) });
      for (const part of parts) response.write(part);
      response.end();
    });
    const calls = gateway.upstream.calls.length;
    const all = await Promise.all(Array.from({ length: AT_ONCE }, () => gateway.proxy({})));
    // Whatever was sent has its whole answer. What came when there was no room was not sent.
    const whole = all.filter((answer) => answer.status === 200 && answer.text === text);
    const refused = all.filter(({ headers: given }) => given.get('x-error-code') === 'too_much_buffered');
    expect([whole.length, whole.length + refused.length]).toEqual([gateway.upstream.calls.length - calls, AT_ONCE]);
    expect(whole.length).toBeGreaterThan(1);
    // All of it was given back.
    expect((await gateway.proxy({})).status).toBe(200);
  },
);

it('answers other agents while one agent has streams that never end, byte by byte', async () => {
  const timers: NodeJS.Timeout[] = [];
  gateway.upstream.answer(({ path }, response) => {
    if (!path.includes('endless')) return void response.end('done');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = (): void => {
      for (let n = 0; n < 1000; n++) response.write('a');
      if (!response.destroyed) timers.push(setTimeout(more, 1));
    };
    more();
  });
  const leave = new AbortController();
  const url = `${gateway.upstream.url}/v1/endless`;
  const streams = await Promise.all(
    Array.from({ length: AT_ONCE }, () =>
      fetch(`${gateway.url}/proxy`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'agent-key': gateway.agentKey },
        body: JSON.stringify({ targetUrl: url, method: 'GET', intent: 'read without end' }),
        signal: leave.signal,
      }),
    ),
  );
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  const { apiKey } = await gateway.createAgent('other', [gateway.service.id]);
  const others: ProxyAnswer[] = [];
  for (let n = 0; n < 5; n++) others.push(await gateway.proxy({}, { 'Agent-Key': apiKey }));
  expect(others.map(({ text }) => text)).toEqual(others.map(() => 'done'));
  leave.abort();
  for (const timer of timers) clearTimeout(timer);
});
