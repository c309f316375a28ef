/** An API that answers 413 in the middle of an upload: the agent gets that answer, whatever the API does then. */
import { randomUUID } from 'node:crypto';
import { ALL_ENDS, refusingServer, type RefusingServer } from '../../../libs/egress/test/refusing-server.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

const BODY = 'x'.repeat(8 * 1024 * 1024);

let api: RefusingServer;
let gateway: Gateway;
beforeAll(async () => {
  api = await refusingServer('ends');
  gateway = await startGateway({ PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${api.port}` });
  const { id } = await gateway.createService({ name: 'Files', baseUrl: api.origin });
  await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [id] });
  gateway.model.answer({ score: 0, explanation: 'stores a file' });
});
afterAll(async () => {
  await gateway?.close();
  await api?.close();
});

const UPLOADS: Record<string, () => Promise<ProxyAnswer>> = {
  '/s/': () =>
    gateway.agentCall('POST', '/s/Files/big', BODY, {
      'X-Intent': 'store',
      'Content-Type': 'text/plain',
      'Idempotency-Key': randomUUID(),
    }),
  '/proxy': () =>
    gateway.proxy({ method: 'POST', targetUrl: `${api.origin}/big`, body: BODY, idempotencyKey: randomUUID() }),
};

describe.each(Object.entries(UPLOADS))('through %s', (_door, upload) => {
  it.each(ALL_ENDS)('the agent gets the 413 of an API that then %s', async (end) => {
    api.end = end;
    const { status, headers, text } = await upload();
    expect([status, headers.get('x-proxy-status'), text]).toEqual([413, 'forwarded', 'too large']);
    expect(api.read().at(-1)).toBeLessThan(BODY.length);
  });
});
