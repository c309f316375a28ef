import { makeCompletion, startFakeModel, type FakeModel } from '../../test/support/fake-model.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../platform/clock.js';
import type { MetricsConfig, RiskConfig } from '../platform/config.js';
import { Log } from '../platform/logging.js';
import { ModelFailure } from './model-answer.js';
import { ModelClient } from './model-client.js';
import { ModelHealth } from './model-health.js';

class RecordingLog extends Log {
  readonly lines: string[] = [];
  private readonly record = (fields: object, message: string): void =>
    void this.lines.push(JSON.stringify({ ...fields, message }));
  override info = this.record;
  override warn = this.record;
  override error = this.record;
  override debug = this.record;
}

const PROMPT = { system: 'planted-system-text', user: 'planted-user-text' };
const API_KEY = 'planted-api-key';

let model: FakeModel;
let client: ModelClient;
let health: ModelHealth;
let log: RecordingLog;

function connect(llmTimeoutMs: number, llmBaseUrl = model.url, clock = new Clock()): void {
  const config = { llmBaseUrl, llmApiKey: API_KEY, llmModel: 'test-model', llmTimeoutMs } as RiskConfig;
  log = new RecordingLog();
  health = new ModelHealth(config, clock);
  client = new ModelClient(config, clock, health, log, new Metrics(clock, { agentDetail: false } as MetricsConfig));
}

const failure = async (): Promise<ModelFailure> => {
  const err: unknown = await client.ask(PROMPT).catch((thrown: unknown) => thrown);
  expect(err).toBeInstanceOf(ModelFailure);
  return err as ModelFailure;
};

beforeEach(async () => {
  model = await startFakeModel();
  connect(10_000);
});

afterEach(async () => {
  await client.onApplicationShutdown();
  await model.close();
});

describe('a call', () => {
  it('asks for a chat completion in JSON at temperature 0', async () => {
    model.answer({ score: 0.25, explanation: 'Fine.' });
    expect(await client.ask(PROMPT)).toEqual({ score: 0.25, explanation: 'Fine.' });
    expect(model.calls[0].body).toEqual({
      model: 'test-model',
      temperature: 0,
      response_format: { type: 'json_object' },
      messages: [
        { role: 'system', content: PROMPT.system },
        { role: 'user', content: PROMPT.user },
      ],
    });
    const headers = {
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/json',
      'user-agent': 'agent-gateway',
    };
    await client.ask({ ...PROMPT, user: 'another' });
    for (const call of model.calls) {
      expect(call.headers).toMatchObject(headers);
      expect(Object.keys(call.headers).join()).not.toContain('stainless');
    }
    expect(model.calls[1].body.messages).toContainEqual({ role: 'user', content: 'another' });
  });

  it('reuses connections', async () => {
    for (let n = 0; n < 20; n += 1) await client.ask(PROMPT);
    // The second call can start just before the first connection becomes free.
    expect(model.connections()).toBeLessThanOrEqual(2);
  });

  it('leaves out fields that the server refuses, and remembers them', async () => {
    model.answer(({ body }) => {
      if (body.response_format) {
        return { status: 400, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } };
      }
      if (body.temperature !== undefined) {
        return { status: 400, body: { error: { message: 'Unsupported value', param: 'temperature' } } };
      }
      return { score: 0.5 };
    });
    expect((await client.ask(PROMPT)).score).toBe(0.5);
    expect(model.calls).toHaveLength(3);
    expect((await client.ask(PROMPT)).score).toBe(0.5);
    expect(model.calls).toHaveLength(4);
  });
});

describe('a field or role that a server refuses', () => {
  class MovableClock extends Clock {
    aheadMs = 0;
    override monotonicMs = (): number => performance.now() + this.aheadMs;
  }
  const roles = (): string[] => model.calls.map(({ body }) => body.messages.map(({ role }) => role).join());

  it.each([
    [400, { message: 'System role not supported' }],
    [400, { message: 'Developer instruction is not enabled for models/gemma-3' }],
    [400, { message: "Unsupported value: 'messages[0].role' does not support 'system' with this model." }],
    [422, { message: 'Template error: System role not supported' }],
    [500, { message: 'Error rendering prompt with jinja template: System role not supported' }],
  ])('after HTTP %d %j, puts the instructions into the user message, before the data', async (status, error) => {
    model.answer(({ body }) => (body.messages[0].role === 'system' ? { status, body: { error } } : { score: 0.5 }));
    expect((await client.ask(PROMPT)).score).toBe(0.5);
    expect((await client.ask(PROMPT)).score).toBe(0.5);
    expect(roles()).toEqual(['system,user', 'user', 'user']);
    expect(model.calls[2].body.messages[0].content).toBe(`${PROMPT.system}\n\n${PROMPT.user}`);
  });

  it('is tried again after an hour, and when another model answers', async () => {
    const clock = new MovableClock();
    connect(10_000, model.url, clock);
    let name = 'first';
    let takesAll = false;
    model.answer(({ body }) =>
      body.response_format && !takesAll
        ? { status: 400, body: { error: 'response_format' } }
        : { body: { ...makeCompletion('{"score":0.5,"explanation":"x"}'), model: name } },
    );
    const formats = async (): Promise<boolean[]> => {
      model.calls.length = 0;
      await client.ask(PROMPT);
      return model.calls.map(({ body }) => body.response_format !== undefined);
    };
    expect(await formats()).toEqual([true, false]);
    clock.aheadMs += 59 * 60_000;
    expect(await formats()).toEqual([false]);
    clock.aheadMs += 2 * 60_000;
    expect(await formats()).toEqual([true, false]);
    name = 'second';
    takesAll = true;
    expect(await formats()).toEqual([false]);
    expect(await formats()).toEqual([true]);
  });
});

describe('a base URL with a query', () => {
  it('keeps its path and query, and sends the key in the header that Azure needs', async () => {
    const base = `${new URL(model.url).origin}/openai/deployments/d`;
    for (const slash of ['', '/']) {
      connect(10_000, `${base}${slash}?api-version=2024-10-21&x=a%20b`);
      expect((await client.ask(PROMPT)).score).toBe(0);
      const { url, headers } = model.calls.at(-1)!;
      expect(url).toBe('/openai/deployments/d/chat/completions?api-version=2024-10-21&x=a%20b');
      expect(headers['api-key']).toBe(API_KEY);
      expect(health.status().baseUrl).toBe(`${base}${slash}?api-version=2024-10-21&x=***`);
      await client.onApplicationShutdown();
    }
    connect(10_000);
    await client.ask(PROMPT);
    expect(model.calls.at(-1)!.headers).not.toHaveProperty('api-key');
  });
});

describe('a failure', () => {
  it.each([400, 401, 403, 404, 429, 500, 502, 503])(
    'is reported for HTTP %d after a retry, if one can help',
    async (status) => {
      model.answer({ status, body: { error: { message: 'response_format of no concern', code: 'x' } } });
      const { reason, kind } = await failure();
      expect(reason).toBe(`model server answered HTTP ${status}`);
      expect(kind).toBe('none');
      // There is one retry: for a 400 that names an optional field without that field, and for 429 and 5xx unchanged.
      expect(model.calls).toHaveLength(status === 400 || status === 429 || status >= 500 ? 2 : 1);
    },
  );

  it.each([429, 500, 503])('is not reported if the retry after HTTP %d succeeds', async (status) => {
    model.answer(() => (model.calls.length === 1 ? { status, body: {} } : { score: 0.25 }));
    expect((await client.ask(PROMPT)).score).toBe(0.25);
    expect(model.calls).toHaveLength(2);
    expect(health.status()).toMatchObject({ calls: 1, failures: 0 });
  });

  it('is reported immediately, and not as a timeout, if a retry would come too late', async () => {
    for (const headers of [
      { 'retry-after': '60' },
      { 'retry-after-ms': '60000' },
      { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() },
    ] as Record<string, string>[]) {
      model.calls.length = 0;
      model.answer({ status: 429, body: {}, headers });
      expect(await failure()).toMatchObject({ kind: 'none', reason: 'model server answered HTTP 429' });
      expect(model.calls).toHaveLength(1);
    }
  });

  it.each([
    { completion: { finish_reason: 'content_filter', message: { role: 'assistant', content: '' } } },
    { completion: { finish_reason: 'stop', message: { role: 'assistant', content: null, refusal: 'No.' } } },
    { status: 400, body: { error: { code: 'content_filter', message: 'The response was filtered' } } },
  ])('is a refusal for %j', async ({ completion, ...answer }) => {
    model.answer(completion ? { body: { choices: [{ index: 0, ...completion }] } } : { body: {}, ...answer });
    expect((await failure()).kind).toBe('refusal');
    expect(model.calls).toHaveLength(1);
  });

  it('is reported for a redirect, which is not followed', async () => {
    model.answer({ status: 307, body: '', headers: { location: `${model.url}/chat/completions` } });
    expect((await failure()).reason).toBe('model server answered HTTP 307');
    expect(model.calls).toHaveLength(1);
  });

  it.each([
    ['an empty body', { body: '' }],
    ['a body that is not JSON', { body: '{"choices":' }],
    ['HTML', { body: '<html></html>', headers: { 'content-type': 'text/html' } }],
    [
      'JSON with a text content type',
      { body: makeCompletion('{"score":0}'), headers: { 'content-type': 'text/plain' } },
    ],
    ['204', { status: 204, body: '' }],
    ['a verdict with text after it', { content: '{"score":0,"explanation":"x"} Done.' }],
  ])('is reported for %s', async (_name, answer) => {
    model.answer(answer);
    expect((await failure()).kind).not.toBe('timeout');
  });

  it('keeps the score of a response that is not JSON', async () => {
    model.answer({ body: '{"choices": [{"message": {"content": "{\\"score\\": 0.95' });
    expect(await failure()).toMatchObject({ reason: 'answer is not JSON', kind: 'score', score: 0.95 });
  });

  it.each(['{"', 'score', '":', '0.', '95'])(
    'is unreadable for an event stream, whose score is spread: %s',
    async (part) => {
      const chunk = JSON.stringify({ choices: [{ delta: { content: part } }] });
      model.answer({ body: `data: ${chunk}\n\ndata: [DONE]\n\n`, headers: { 'content-type': 'text/event-stream' } });
      expect((await failure()).kind).toBe('unreadable');
    },
  );

  it('is reported for a broken connection', async () => {
    model.answer('reset');
    expect((await failure()).reason).toBe('model server could not be reached, or closed the connection');
  });

  it('is reported for a server that does not listen', async () => {
    connect(10_000, 'http://127.0.0.1:9/v1');
    expect((await failure()).reason).toBe('model server could not be reached, or closed the connection');
  });

  it('is reported for a response of more than 1 MB', async () => {
    model.answer('flood');
    expect((await failure()).reason).toBe('answer is too large');
  });
});

describe('a timeout', () => {
  it.each(['hang', 'drip'] as const)('ends a call to a server that does this: %s', async (answer) => {
    connect(100);
    model.answer(answer);
    // Neither server ends its response.
    expect((await failure()).kind).toBe('timeout');
  });

  it('applies to all attempts of one call together', async () => {
    // Enough for the first attempt, also on a busy machine.
    connect(2000);
    model.answer(({ body }) => (body.response_format ? { status: 400, body: { error: 'response_format' } } : 'hang'));
    expect((await failure()).kind).toBe('timeout');
    expect(model.calls).toHaveLength(2);
  });
});

describe('the records of calls', () => {
  it('are counts, times and durations', async () => {
    expect(health.status()).toMatchObject({ calls: 0, failures: 0, timeouts: 0, p95Ms: null, lastSuccessAt: null });
    await client.ask(PROMPT);
    model.answer({ content: 'nonsense' });
    await failure();
    const status = health.status();
    expect(status).toMatchObject({
      calls: 2,
      failures: 1,
      timeouts: 0,
      lastFailure: 'answer is not JSON',
      model: 'test-model',
    });
    expect(status.p95Ms).toBeGreaterThanOrEqual(0);
    expect(Date.parse(status.lastFailureAt!)).toBeGreaterThanOrEqual(Date.parse(status.lastSuccessAt!));
  });

  it('include one log line per failure, without the prompt, the key or the server’s text', async () => {
    await client.ask(PROMPT);
    expect(log.lines).toEqual([]);
    model.answer({
      status: 401,
      body: { error: { message: `Incorrect API key: ${API_KEY}; prompt: ${PROMPT.user}` } },
    });
    await failure();
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toContain('model server answered HTTP 401');
    expect(log.lines[0]).not.toContain('planted');
  });
});
