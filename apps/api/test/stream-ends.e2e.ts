/** How streams end before their end. */
import { once } from 'node:events';
import { OutgoingMessage, ServerResponse } from 'node:http';
import type { Gateway } from './support/gateway.js';
import { EVENTS, MIB, StreamGateway, type Reading } from './support/streams.js';

let streams: StreamGateway;
let gateway: Gateway;
beforeAll(async () => {
  streams = await StreamGateway.start();
  ({ gateway } = streams);
});
afterAll(() => streams.close());
beforeEach(() => streams.reset());
afterEach(() => streams.endOpen());

describe('a stream ends without its final chunk', () => {
  it('when it is larger than STREAM_MAX_BYTES', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' });
      const pump = (): void => {
        while (response.write(Buffer.alloc(64 * 1024, 0xff)));
      };
      response.on('drain', pump);
      pump();
    });
    const response = await streams.start({ Prefer: 'stream' });
    let bytes = 0;
    response.on('data', (chunk: Buffer) => (bytes += chunk.length));
    response.on('error', () => {});
    await new Promise((resolve) => response.on('close', resolve));
    expect([response.complete, bytes <= 64 * MIB]).toEqual([false, true]);
    expect((await streams.settledRecord()).error).toBe(`the stream is larger than ${64 * MIB} bytes`);
  });

  it('when the upstream breaks off', async () => {
    const upstream = streams.upstreamStream();
    const reading = await streams.read();
    const source = await upstream;
    source.write('data: 1\n\n');
    await reading.until('data: 1');
    source.destroy();
    await reading.end();
    expect(reading.isComplete).toBe(false);
    expect(await streams.settledRecord()).toMatchObject({
      responseBytes: 9,
      error: expect.stringMatching(/connection was/) as string,
    });
  });

  it.each<[string, (agentId: number, otherServiceId: number) => Promise<unknown>]>([
    ['is revoked', (id) => gateway.admin(`PUT /agents/${id}`, { isActive: false })],
    ['loses the service', (id, other) => gateway.admin(`PUT /agents/${id}/services`, { serviceIds: [other] })],
    ['is deleted', (id) => gateway.admin(`DELETE /agents/${id}`)],
    [
      'is in a paused workspace',
      () => gateway.admin(`POST /workspaces/${gateway.agent.userId}/pause`, { reason: 'x' }),
    ],
    ['uses a paused service', () => gateway.admin(`PUT /services/${gateway.service.id}`, { isPaused: true })],
  ])('when the agent %s', async (what, change) => {
    const other = await gateway.createService({ name: what, baseUrl: `${gateway.upstream.url}/other` });
    const { agent, apiKey } = await gateway.createAgent(what, [gateway.service.id]);
    const upstream = streams.upstreamStream();
    const reading = await streams.read({ 'Agent-Key': apiKey });
    (await upstream).write('data: 1\n\n');
    await reading.until('data: 1');
    await change(agent.id, other.id);
    await reading.end();
    expect(reading.isComplete).toBe(false);
    await gateway.tryAdmin(`POST /workspaces/${gateway.agent.userId}/resume`);
    await gateway.admin(`PUT /services/${gateway.service.id}`, { isPaused: false });
  });
});

it.each(['/s/Shop/x', '/proxy'])(
  'when the response of %s fails before it begins, the connection to the upstream is closed',
  async (path) => {
    const upstream = streams.upstreamStream({ ...EVENTS, 'X-Fails': 'yes' });
    const setHeader = jest.spyOn(ServerResponse.prototype, 'setHeader');
    setHeader.mockImplementation(function (this: ServerResponse, name, value) {
      if (name === 'x-fails') throw new Error('a door fails');
      return OutgoingMessage.prototype.setHeader.call(this, name, value) as ServerResponse;
    });
    try {
      const sent =
        path === '/proxy'
          ? gateway.proxy({ method: 'GET', targetUrl: `${gateway.upstream.url}/v1/x` })
          : streams.start({}, { path }).then(({ statusCode: status }) => ({ status }));
      const source = await upstream;
      const closed = once(source, 'close');
      expect((await sent).status).toBe(500);
      await closed;
      const error = 'the response ended before the stream began';
      expect(await streams.settledRecord()).toMatchObject({ outcome: 'forwarded', responseBytes: 0, error });
    } finally {
      setHeader.mockRestore();
    }
  },
);

it('ends only the streams of addresses that the key may no longer be used from', async () => {
  const proxied = await gateway.secondInstance({ TRUST_PROXY: 'true' });
  try {
    const { agent, apiKey } = await gateway.createAgent('addresses', [gateway.service.id]);
    const listen = async (address: string): Promise<[ServerResponse, Reading]> => {
      const upstream = streams.upstreamStream();
      const reading = await streams.read({ 'Agent-Key': apiKey, 'X-Forwarded-For': address }, { from: proxied });
      const source = await upstream;
      source.write('data: 1\n\n');
      await reading.until('data: 1');
      return [source, reading];
    };
    const [source, allowed] = await listen('192.0.2.1');
    const [, refused] = await listen('192.0.2.2');
    await gateway.admin(`PUT /agents/${agent.id}`, { addresses: ['192.0.2.1'] });
    await refused.end();
    expect(refused.isComplete).toBe(false);
    await proxied.app.settled();
    const errors = (await gateway.audit(`&agentId=${agent.id}`)).map(({ error }) => error);
    expect(errors).toContain('the agent key may no longer be used from this address');
    source.end('data: 2\n\n');
    expect([await allowed.end(), allowed.isComplete]).toEqual(['data: 1\n\ndata: 2\n\n', true]);
  } finally {
    await proxied.app.close();
  }
});

it('ends a stream that never ends after STREAM_MAX_SECONDS', async () => {
  const short = await gateway.secondInstance({ STREAM_MAX_SECONDS: '1' });
  try {
    const upstream = streams.upstreamStream();
    const reading = await streams.read({}, { from: short });
    const source = await upstream;
    source.write('data: 1\n\n');
    await reading.end();
    expect([reading.text, reading.isComplete]).toEqual(['data: 1\n\n', false]);
  } finally {
    await short.app.close();
  }
});

it('closes the connection to the upstream when the agent goes away', async () => {
  const upstream = streams.upstreamStream();
  const reading = await streams.read();
  const source = await upstream;
  source.write('data: 1\n\n');
  await reading.until('data: 1');
  const closed = once(source, 'close');
  reading.response.destroy();
  await closed;
  expect(await streams.settledRecord()).toMatchObject({
    responseBytes: 9,
    error: 'the agent closed the connection before the end',
  });
});
