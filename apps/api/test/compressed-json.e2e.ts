import type { ActionPage } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  for (let at = 0; at < 5; at++) await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/${at}` });
});
afterAll(() => gateway?.close());

/** Fetch decompresses what it gets, and keeps the header that says so. */
const read = (path: string, accepted: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    headers: { Authorization: `Bearer ${gateway.token}`, 'Accept-Encoding': accepted, ...headers },
  });

it.each(['br', 'gzip'])('compresses the JSON that the dashboard reads, where the client takes %s', async (accepted) => {
  const plain = await read('/approvals', 'identity');
  const compressed = await read('/approvals', accepted);

  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(compressed.headers.get('content-encoding')).toBe(accepted);
  expect(plain.headers.get('vary')).toContain('Accept-Encoding');
  expect(compressed.headers.get('vary')).toContain('Accept-Encoding');
  const page = (await compressed.json()) as ActionPage;
  expect(page.items).toHaveLength(5);
  expect(page).toEqual(await plain.json());
});

it('leaves short answers as they are', async () => {
  const counts = await read('/approvals/counts', 'gzip');
  expect(counts.headers.get('content-encoding')).toBeNull();
  expect(await counts.json()).toMatchObject({ pending: 5 });
});

it('leaves exports and streams of events as they are, so that their lines arrive at once', async () => {
  const exported = await read('/audit/export?format=ndjson', 'gzip');
  expect(exported.headers.get('content-encoding')).toBeNull();
  expect((await exported.text()).trim().split('\n').length).toBeGreaterThanOrEqual(5);

  const events = await read('/events', 'gzip');
  expect(events.headers.get('content-encoding')).toBeNull();
  await events.body?.cancel();
});

it('never compresses what an agent asked for', async () => {
  const large = JSON.stringify({ text: 'a'.repeat(5000) });
  gateway.model.answer({ score: 0, explanation: 'reads' });
  gateway.upstream.answer((_request, response) => response.setHeader('Content-Type', 'application/json').end(large));
  const answer = await gateway.proxy({}, { 'Accept-Encoding': 'gzip' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-encoding')).toBeNull();
  expect(answer.text).toBe(large);
});
