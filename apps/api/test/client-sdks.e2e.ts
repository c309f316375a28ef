import { randomUUID } from 'node:crypto';
import { Octokit } from '@octokit/rest';
import axios from 'axios';
import OpenAI, { APIConnectionError } from 'openai';
import { createGatewayAdapter } from '../../../libs/client/src/axios.js';
import {
  ApprovalDenied,
  createGatewayFetch,
  type GatewayOptions,
  type HeldAction,
} from '../../../libs/client/src/index.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Ask',
    effect: 'require_approval',
    pathPattern: '/repos/*/held/**',
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer(({ method, path, body }, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ method, path, body: body.toString() }));
  });
});

const base = (): string => `${gateway.upstream.url}/v1`;
type OnHeld = (held: HeldAction) => void;
const approve: OnHeld = ({ actionId }) => void gateway.approve(actionId);
const deny: OnHeld = ({ actionId }) => void gateway.deny(actionId, 'Not on a Friday');
const options = (onHeld = approve): GatewayOptions => ({
  gatewayUrl: gateway.url,
  agentKey: gateway.agentKey,
  intent: 'Triage the issues',
  onHeld,
});
const answerJson = (status: number, value: unknown, headers: Record<string, string> = {}) =>
  gateway.upstream.answer((_call, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
  });
type Caught = Error & { note?: string | null; cause?: Caught; response?: unknown };
const caught = async (promise: Promise<unknown>): Promise<Caught> =>
  promise.then(
    () => new Error('did not reject') as Caught,
    (error: unknown) => error as Caught,
  );

describe('the openai package, with the gateway’s fetch', () => {
  const chunk = (content: string) => ({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  });
  const openai = (onHeld = approve) =>
    new OpenAI({
      baseURL: base(),
      apiKey: 'the gateway has the real one',
      fetch: createGatewayFetch(options(onHeld)),
      // The client already repeats requests that are safe to repeat, and never asks again after a human has denied. So
      // the SDK must not retry.
      maxRetries: 0,
    });
  const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
  const ruled = async (work: () => Promise<void>): Promise<void> => {
    const rule = await gateway.admin<{ id: number }>(`POST /services/${gateway.service.id}/risk-rules`, {
      name: 'Ask before chats',
      effect: 'require_approval',
      pathPattern: '/chat/**',
    });
    await work();
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${rule.id}`);
  };

  it('gets a completion, with the credentials of the service instead of its own', async () => {
    answerJson(200, { id: 'c1', object: 'chat.completion', choices: [{ index: 0, message: { content: 'Hi' } }] });
    const completion = await openai().chat.completions.create(ask);
    expect(completion.choices[0].message.content).toBe('Hi');
    const [call] = gateway.upstream.calls;
    expect(call).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(JSON.parse(call.body.toString())).toEqual(ask);
    expect(call.headers.authorization).toBe('Bearer sk-live-1234567890-planted');
  });

  it('gets a whole stream', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const part of ['Hel', 'lo']) response.write(`data: ${JSON.stringify(chunk(part))}\n\n`);
      response.end('data: [DONE]\n\n');
    });
    let text = '';
    for await (const { choices } of await openai().chat.completions.create({ ...ask, stream: true })) {
      text += choices[0].delta.content ?? '';
    }
    expect(text).toBe('Hello');
  });

  it('gets the upstream’s own errors as its error classes', async () => {
    answerJson(429, { error: { message: 'Slow down' } });
    expect(await caught(openai().chat.completions.create(ask))).toBeInstanceOf(OpenAI.RateLimitError);
  });

  it('waits for an approval, and reports a denial as the cause, after a single request', async () => {
    await ruled(async () => {
      answerJson(200, { id: 'c1', choices: [{ index: 0, message: { content: 'Approved' } }] });
      const { choices } = await openai().chat.completions.create(ask);
      expect(choices[0].message.content).toBe('Approved');
      let asked = 0;
      const onHeld: OnHeld = (held) => {
        asked++;
        deny(held);
      };
      const error = await caught(openai(onHeld).chat.completions.create(ask));
      expect(error).toBeInstanceOf(APIConnectionError);
      expect(error.cause).toBeInstanceOf(ApprovalDenied);
      expect(error.cause?.note).toBe('Not on a Friday');
      expect(asked).toBe(1);
      expect(gateway.upstream.calls).toHaveLength(1);
    });
  });
});

describe('@octokit/rest, with the gateway’s fetch', () => {
  const nothing = () => undefined;
  const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const octokit = (onHeld = approve) =>
    new Octokit({ baseUrl: base(), log: silent, request: { fetch: createGatewayFetch(options(onHeld)) } });

  it('reads, writes, and goes through pages', async () => {
    answerJson(200, { full_name: 'octo/hello' });
    const { data } = await octokit().repos.get({ owner: 'octo', repo: 'hello' });
    expect(data.full_name).toBe('octo/hello');
    expect(gateway.upstream.calls[0].path).toBe('/v1/repos/octo/hello');

    answerJson(201, { number: 7 });
    const { data: issue } = await octokit().issues.create({ owner: 'octo', repo: 'hello', title: 'Ünïcode' });
    expect(issue.number).toBe(7);
    expect(JSON.parse(gateway.upstream.calls[1].body.toString())).toEqual({ title: 'Ünïcode' });

    gateway.upstream.answer(({ path }, response) => {
      const first = !path.includes('page=2');
      const headers = first ? { Link: `<${base()}/repos/octo/hello/issues?page=2>; rel="next"` } : {};
      response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
      response.end(JSON.stringify([{ number: first ? 1 : 2 }]));
    });
    const client = octokit();
    const all = await client.paginate(client.issues.listForRepo, { owner: 'octo', repo: 'hello' });
    expect(all.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('waits for an approval, and reports a denial as the cause', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(204).end());
    const target = { owner: 'octo', repo: 'held/x' };
    const { status } = await octokit().request('DELETE /repos/{owner}/held/{id}', { ...target, id: randomUUID() });
    expect(status).toBe(204);
    const error = await caught(
      octokit(deny).request('DELETE /repos/{owner}/held/{id}', { ...target, id: randomUUID() }),
    );
    expect(error.cause).toBeInstanceOf(ApprovalDenied);
    expect(error.message).toBe('Denied: Not on a Friday');
    expect(gateway.upstream.calls).toHaveLength(1);
  });
});

describe('axios, with the gateway’s adapter', () => {
  const client = (onHeld = approve) =>
    axios.create({ baseURL: base(), adapter: createGatewayAdapter(axios, options(onHeld)) });

  it('keeps the features of axios: parameters, JSON, status validation, response types', async () => {
    const { data } = await client().get('/things', { params: { a: [1, 2], b: 'x y' } });
    expect(decodeURIComponent(data.path)).toBe('/v1/things?a[]=1&a[]=2&b=x+y');
    const posted = await client().post('/things', { n: 1 }, { headers: { 'X-Intent': 'Make a thing' } });
    expect(posted.data).toMatchObject({ method: 'POST', body: '{"n":1}' });
    expect(gateway.upstream.calls[1].headers['content-type']).toContain('application/json');
    const bytes = await client().get('/things', { responseType: 'arraybuffer' });
    expect(Buffer.from(bytes.data).toString()).toContain('/v1/things');
    answerJson(404, { error: 'no such thing' });
    const error = await caught(client().get('/things/9'));
    expect(axios.isAxiosError(error)).toBe(true);
    expect(error.response).toMatchObject({ status: 404, data: { error: 'no such thing' } });
  });

  it('waits for an approval; a denial rejects with ApprovalDenied itself', async () => {
    answerJson(200, { gone: true });
    const { data } = await client().delete(`/repos/octo/held/${randomUUID()}`);
    expect(data).toEqual({ gone: true });
    const error = await caught(client(deny).post(`/repos/octo/held/${randomUUID()}`, {}));
    expect(error).toBeInstanceOf(ApprovalDenied);
    expect(error.note).toBe('Not on a Friday');
  });

  it('honours its signal while the request is held', async () => {
    const abort = new AbortController();
    const held = client(() => abort.abort()).delete(`/repos/octo/held/${randomUUID()}`, { signal: abort.signal });
    expect(axios.isCancel(await caught(held))).toBe(true);
  });
});
