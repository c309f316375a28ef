/** Answers that are passed on as they arrive. */
import { gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import { eventually } from './support/eventually.js';
import { SECRET, type Gateway } from './support/gateway.js';
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

let serial = 0;
const fresh = (): string => `stream-${++serial}`;

describe('a text/event-stream', () => {
  it('passes event by event', async () => {
    const upstream = streams.upstreamStream();
    const reading = await streams.read();
    const source = await upstream;
    // Each event is sent only after the previous one has arrived.
    for (let n = 1; n <= 5; n++) {
      source.write(`data: ${n}\n\n`);
      await reading.until(`data: ${n}\n\n`);
    }
    source.end();
    await reading.end();
    expect([reading.isComplete, reading.response.headers['x-proxy-status']]).toEqual([true, 'forwarded']);
  });

  it('is recorded before it starts, and again with its bytes and duration when it ends', async () => {
    const upstream = streams.upstreamStream();
    const reading = await streams.read();
    const source = await upstream;
    source.write('data: 1\n\n');
    await reading.until('data: 1');
    expect(await streams.lastRecord()).toMatchObject({ outcome: 'forwarded', durationMs: null });
    source.end();
    await reading.end();
    expect(await streams.settledRecord()).toMatchObject({
      status: 200,
      upstreamStatus: 200,
      responseBytes: 9,
      error: null,
    });
  });

  it('passes also through POST /proxy', async () => {
    const upstream = streams.upstreamStream();
    const body = { method: 'GET', targetUrl: `${gateway.upstream.url}/v1/x`, intent: 'listen' };
    const reading = await streams.read(
      { 'Content-Type': 'application/json' },
      { method: 'POST', path: '/proxy', body },
    );
    const source = await upstream;
    source.write('data: 1\n\n');
    await reading.until('data: 1');
    source.end();
    await reading.end();
  });

  it('is decoded as it arrives', async () => {
    const upstream = streams.upstreamStream({ ...EVENTS, 'Content-Encoding': 'gzip' });
    // The answer begins with the first bytes, because they show whether it can be decoded.
    const begun = streams.read();
    const bytes = gzipSync('data: 1\n\n');
    const source = await upstream;
    source.write(bytes.subarray(0, 12));
    const reading = await begun;
    source.end(bytes.subarray(12));
    expect(await reading.end()).toBe('data: 1\n\n');
  });

  it('works with the OpenAI SDK', async () => {
    const delta = (content: string): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n\n`;
    gateway.upstream.answer((_call, response) => {
      response.writeHead(200, EVENTS);
      for (const word of ['Hello', ' ', 'world']) response.write(delta(word));
      response.end('data: [DONE]\n\n');
    });
    const client = new OpenAI({
      apiKey: gateway.agentKey,
      baseURL: `${gateway.url}/s/Shop;idempotency=none/`,
      maxRetries: 0,
    });
    const stream = await client.chat.completions.create({
      model: 'any',
      stream: true,
      messages: [{ role: 'user', content: 'hello' }],
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0].delta.content ?? '';
    expect(text).toBe('Hello world');
  });
});

describe('Prefer: stream', () => {
  it('passes any answer as it arrives, and is not forwarded', async () => {
    const upstream = streams.upstreamStream({ 'Content-Type': 'application/x-ndjson' });
    const reading = await streams.read({ Prefer: 'return=minimal, stream' });
    const source = await upstream;
    source.write('{"a":1}\n');
    await reading.until('{"a":1}\n');
    source.end();
    await reading.end();
    expect(reading.response.headers['preference-applied']).toBe('stream');
    expect(gateway.upstream.calls[0].headers.prefer).toBe('return=minimal');
  });

  it('keeps binary answers byte for byte, in more than 10 MB', async () => {
    const chunk = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const whole = Buffer.concat(Array.from({ length: 50_000 }, () => chunk));
    gateway.upstream.answer((_call, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(whole));
    const response = await streams.start({ Prefer: 'stream' });
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  it.each([
    ['an answer', 'application/octet-stream', Buffer.alloc(64 * 1024, 0xff)],
    ['a text', 'text/plain', Buffer.alloc(64 * 1024, 'word ')],
    ['events', 'text/event-stream', Buffer.from('data: {"a":"b"}\n\n'.repeat(4096))],
  ])('of %s that the agent does not read slows the upstream down', async (_name, type, chunk) => {
    let written = 0;
    gateway.upstream.answer((_call, response) => {
      response.writeHead(200, { 'Content-Type': type });
      const pump = (): void => {
        while (response.write(chunk)) written += chunk.length;
        written += chunk.length;
      };
      response.on('drain', pump);
      pump();
    });
    const response = await streams.start({ Prefer: 'stream' });
    response.pause();
    // The sender has stopped, far below the cap of the stream.
    let before = -1;
    await eventually(() => {
      const isStill = written === before;
      before = written;
      return isStill;
    });
    // The gateway has time for other requests, so it would also have time for this stream.
    for (let n = 0; n < 20; n++) expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
    expect(written).toBeLessThan(32 * MIB);
    const stood = written;
    response.resume();
    await eventually(() => written > stood);
  });
});

describe('a secret in a stream', () => {
  it.each([1, 5, SECRET.length - 1])('is redacted when it is split after %i characters', async (at) => {
    const upstream = streams.upstreamStream({ 'Content-Type': 'text/plain' });
    const reading = await streams.read({ Prefer: 'stream' });
    const source = await upstream;
    source.write(`before. ${SECRET.slice(0, at)}`);
    await reading.until('before. ');
    source.end(`${SECRET.slice(at)} after`);
    expect(await reading.end()).toBe('before. [REDACTED] after');
  });

  it('does not leak its part when the stream ends in the middle of it', async () => {
    const upstream = streams.upstreamStream({ 'Content-Type': 'text/plain' });
    const reading = await streams.read({ Prefer: 'stream' });
    (await upstream).end(`before. ${SECRET.slice(0, -1)}`);
    expect(await reading.end()).toBe('before. [REDACTED]');
  });

  it('does not leak its part when the upstream breaks off in the middle of it', async () => {
    const upstream = streams.upstreamStream({ 'Content-Type': 'text/plain' });
    const reading = await streams.read({ Prefer: 'stream' });
    const source = await upstream;
    source.write(`before. ${SECRET.slice(0, -1)}`);
    await reading.until('before. ');
    source.destroy();
    expect([await reading.end(), reading.isComplete]).toEqual(['before. ', false]);
  });

  it('does not leak its part when an event ends in the middle of it', async () => {
    const upstream = streams.upstreamStream();
    const reading = await streams.read();
    (await upstream).end(`data: ${SECRET.slice(0, -1)}\n\ndata: 2\n\n`);
    expect(await reading.end()).toBe('data: [REDACTED]\n\ndata: 2\n\n');
  });
});

describe('an idempotency key', () => {
  const post = (key: string) => streams.read({ 'Idempotency-Key': key, Prefer: 'stream' }, { method: 'POST' });
  /** The answer is stored shortly after its last byte has arrived. */
  const repeated = (headers: Record<string, string>, method: string): Promise<Reading> =>
    eventually(async () => {
      const reading = await streams.read(headers, { method });
      return reading.response.headers['x-error-code'] === 'idempotency_in_progress' ? null : reading;
    });

  it('replays a stream of up to 10 MB', async () => {
    const key = fresh();
    const upstream = streams.upstreamStream();
    const first = await post(key);
    const source = await upstream;
    source.write('data: 1\n\n');
    await first.until('data: 1');
    const meanwhile = await post(key);
    expect(meanwhile.response.statusCode).toBe(409);
    source.end('data: 2\n\n');
    await first.end();
    const again = await repeated({ 'Idempotency-Key': key }, 'POST');
    expect([await again.end(), again.response.headers['content-type']]).toEqual([first.text, 'text/event-stream']);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('replays the links of the API, not those of the base URL that was called', async () => {
    const key = fresh();
    const location = `${gateway.upstream.url}/v1/orders/7`;
    const upstream = streams.upstreamStream({ ...EVENTS, Location: location });
    const first = await post(key);
    (await upstream).end('data: 1\n\n');
    await first.end();
    const again = await repeated({ 'Idempotency-Key': key }, 'POST');
    const links = [first, again].map(({ response: { headers } }) => [headers.location, headers['x-upstream-location']]);
    expect(links).toEqual(Array(2).fill([`${gateway.url}/s/Shop/orders/7`, undefined]));
    const body = { method: 'POST' as const, targetUrl: `${gateway.upstream.url}/v1/stream`, idempotencyKey: key };
    expect((await gateway.proxy(body)).headers.get('location')).toBe(location);
  });

  it('does not keep a larger one', async () => {
    const key = fresh();
    gateway.upstream.answer((_call, response) => response.writeHead(200, EVENTS).end(Buffer.alloc(11 * MIB, 'x')));
    expect((await (await post(key)).end()).length).toBe(11 * MIB);
    const again = await repeated({ 'Idempotency-Key': key }, 'POST');
    expect([again.response.statusCode, JSON.parse(await again.end())]).toMatchObject([
      409,
      { error: 'The answer was streamed and is not kept' },
    ]);
    expect(again.response.headers['x-error-code']).toBe('answer_not_kept');
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it.each([
    ['POST', 409, 1],
    ['PUT', 200, 2],
  ])('of a %s whose stream broke off gets %i', async (method, status, calls) => {
    const headers = { 'Idempotency-Key': fresh() };
    const upstream = streams.upstreamStream();
    const reading = await streams.read(headers, { method });
    const source = await upstream;
    source.write('data: 1\n\n');
    await reading.until('data: 1');
    source.destroy();
    await reading.end();
    gateway.upstream.answer((_call, response) => response.end('{}'));
    const again = await repeated(headers, method);
    expect([again.response.statusCode, gateway.upstream.calls.length]).toEqual([status, calls]);
  });

  it('is kept by a running stream, so that nobody settles it', async () => {
    const key = fresh();
    const upstream = streams.upstreamStream();
    const first = await post(key);
    const source = await upstream;
    source.write('data: 1\n\n');
    await first.until('data: 1');
    // The settlement does not take a claim of this age yet. The minute may end at any moment of this test.
    const age = `UPDATE idempotency_records SET created_at = now() - interval '30 seconds' WHERE key = $1`;
    await gateway.app.database.query(age, [key]);
    await eventually(async () => {
      const rows: unknown[] = await gateway.app.database.query(
        `SELECT FROM idempotency_records WHERE key = $1 AND created_at > now() - interval '20 seconds'`,
        [key],
      );
      return rows.length === 1;
    });
    source.end();
    await first.end();
    expect((await repeated({ 'Idempotency-Key': key }, 'POST')).response.statusCode).toBe(200);
  });
});

it('collects the answer to an approved action', async () => {
  gateway.upstream.answer((_call, response) => response.writeHead(200, EVENTS).end('data: 1\n\n'));
  const { action_id: id } = await gateway.hold();
  await gateway.approve(id);
  const answer = await gateway.execute(id);
  expect([answer.text, answer.headers.get('content-length')]).toEqual(['data: 1\n\n', '9']);
});
