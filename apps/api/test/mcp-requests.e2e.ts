import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { EventHub } from '../src/events/event-hub.js';
import { CallsInFlight } from '../src/mcp/calls-in-flight.js';
import { eventually } from './support/eventually.js';
import { SECRET, startGateway, type Gateway } from './support/gateway.js';
import { McpAgent, type McpAnswerFields } from './support/mcp-client.js';
import { createRule } from './support/resources.js';

let gateway: Gateway;
let agent: McpAgent;
let url: string;
beforeAll(async () => {
  gateway = await startGateway();
  url = `${gateway.upstream.url}/v1`;
  await createRule(gateway.app, gateway.token, gateway.service.id, {
    name: 'Ask before DELETE',
    effect: 'require_approval',
    methods: ['DELETE'],
  });
  await createRule(gateway.app, gateway.token, gateway.service.id, {
    name: 'No refunds',
    effect: 'deny',
    pathPattern: '/refunds',
  });
  await createRule(gateway.app, gateway.token, gateway.service.id, { name: 'Reads and writes pass', effect: 'allow' });
  agent = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
});
afterAll(async () => {
  await agent?.close();
  await gateway?.close();
});

const read = (path: string, more: object = {}) => ({ method: 'GET', targetUrl: url + path, intent: 'look', ...more });
const erase = (path: string, more: object = {}) => ({
  method: 'DELETE',
  targetUrl: url + path,
  intent: 'The customer asked us to',
  ...more,
});
const place = (body: string, more: object = {}) => ({
  method: 'POST',
  targetUrl: `${url}/orders`,
  intent: 'order',
  body,
  ...more,
});
const callsOf = (path: string) => gateway.upstream.calls.filter((call) => call.path === `/v1${path}`).length;

/** The id of an action, which the caller learns while it waits. */
function onceHeld(): { onprogress: (progress: Progress) => void; actionId: Promise<string>; progress: Progress[] } {
  const progress: Progress[] = [];
  let held: (actionId: string) => void;
  const actionId = new Promise<string>((resolve) => (held = resolve));
  const onprogress = (each: Progress): void => {
    progress.push(each);
    held(/action ([0-9a-f-]{36})/.exec(each.message ?? '')![1]);
  };
  return { onprogress, actionId, progress };
}

describe('a request', () => {
  it('is forwarded, and the result says so', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(200, {
        'Content-Type': 'application/json',
        Link: '<https://a.example?page=2>; rel="next"',
        'X-RateLimit-Remaining': '7',
        'X-Internal': 'of no use',
      });
      response.end('{"id":42}');
    });
    expect(await agent.ask('request', read('/customers/42', { headers: { Accept: 'application/json' } }))).toEqual({
      status: 'FORWARDED',
      executed: true,
      response: {
        status: 200,
        headers: {
          'content-type': 'application/json',
          'x-ratelimit-remaining': '7',
          'x-upstream-link': '<https://a.example?page=2>; rel="next"',
        },
        body: '{"id":42}',
      },
    });
    const { headers } = gateway.upstream.calls.at(-1)!;
    expect(headers).toMatchObject({ accept: 'application/json', authorization: `Bearer ${SECRET}` });
    const [record] = await gateway.audit();
    expect(record).toMatchObject({ kind: 'request', outcome: 'forwarded', url: `${url}/customers/42`, intent: 'look' });
  });

  it('never shows the secret, even when the API echoes it', async () => {
    gateway.upstream.answer((call, response) => response.end(JSON.stringify(call.headers)));
    const result = await agent.call('request', read('/echo'));
    expect(JSON.stringify(result)).toContain('[REDACTED]');
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it('with an error from the API still returns the response', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(404).end('no such customer'));
    const result = await agent.call('request', read('/customers/43'));
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      executed: true,
      response: { status: 404, body: 'no such customer' },
    });
  });

  it('with a long response is truncated, and says how to get the rest', async () => {
    gateway.upstream.answer((_call, response) => response.end(`${'x'.repeat(99)}\u{1f600}${'y'.repeat(100)}`));
    const cut = await agent.ask('request', read('/long', { maxBodyChars: 100 }));
    expect(cut.response).toMatchObject({ body: 'x'.repeat(99), bodyTruncated: true, bodyChars: 201 });
    expect(cut.next).toMatch(/^The body was cut after 99 of 201 characters\. To read more, ask for less/);

    const keyed = await agent.ask('request', place('{}', { maxBodyChars: 10, idempotencyKey: 'long-one' }));
    expect(keyed.next).toContain('idempotencyKey "long-one" and a larger maxBodyChars: the request is not sent again');
    const before = callsOf('/orders');
    const whole = await agent.ask('request', place('{}', { idempotencyKey: 'long-one' }));
    expect(whole.response.body).toHaveLength(201);
    expect(callsOf('/orders')).toBe(before);
  });

  it('with a binary response returns base64', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00]);
    gateway.upstream.answer((_call, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(bytes));
    expect((await agent.ask('request', read('/logo'))).response).toMatchObject({
      body: bytes.toString('base64'),
      bodyEncoding: 'base64',
    });
  });

  it('without an idempotency key gets one that a retry can use', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(201).end('{"order":1}'));
    const before = callsOf('/orders');
    const first = await agent.ask('request', place('{"sku":1}'));
    expect(first.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    const retry = await agent.ask('request', place('{"sku":1}', { idempotencyKey: first.idempotencyKey }));
    expect(retry).toEqual(first);
    expect(callsOf('/orders')).toBe(before + 1);
    const other = await agent.call('request', place('{"sku":2}', { idempotencyKey: first.idempotencyKey }));
    expect(other).toMatchObject({
      isError: true,
      structuredContent: {
        status: 'ERROR',
        executed: false,
        statusCode: 422,
        errorCode: 'idempotency_conflict',
        idempotencyKey: first.idempotencyKey,
        next: 'Nothing was sent. Use a new idempotencyKey for a different request.',
      },
    });
  });

  it('sends bodyBase64 as bytes, and refuses texts that are not base64', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const given = { method: 'POST', targetUrl: `${url}/files`, intent: 'upload' };
    const sent = await agent.ask('request', {
      ...given,
      bodyBase64: bytes.toString('base64'),
      idempotencyKey: 'bytes',
    });
    expect(sent).toMatchObject({ status: 'FORWARDED' });
    expect(gateway.upstream.calls.at(-1)!.body.equals(bytes)).toBe(true);
    const refused = (more: object) => agent.ask('request', { ...given, idempotencyKey: 'no-bytes', ...more });
    expect(await refused({ bodyBase64: 'no base64!' })).toMatchObject({
      status: 'ERROR',
      error: 'bodyBase64: must be base64 with padding and without line breaks',
    });
    expect(await refused({ bodyBase64: 'AA==', body: 'x' })).toMatchObject({
      error: 'bodyBase64: send either body or bodyBase64, not both',
    });
  });

  it.each([
    ['denied by a rule', { targetUrl: '/refunds' }, 403, 'rule_denied', 'Denied by risk rule "No refunds"'],
    [
      'outside of the service',
      { targetUrl: '/../admin' },
      403,
      'target_outside_service',
      'Target path must start with',
    ],
    ['with an invalid body', { body: 'x' }, 400, 'body_not_allowed', 'body: must not be present on GET requests'],
    [
      'with an invalid header',
      { headers: { 'a b': 'c' } },
      400,
      'invalid_request',
      'headers: "a b" is not a valid header name',
    ],
    [
      'with an agent key in base64 in a header',
      { headers: { 'X-Auth': Buffer.from(`user:agt_${'0'.repeat(64)}`).toString('base64') } },
      400,
      'agent_key_exposed',
      'headers.X-Auth: must not contain an agent key',
    ],
  ])('%s is an error that says what to do', async (_what, more, statusCode, errorCode, error) => {
    const before = gateway.upstream.calls.length;
    const given = read('/x', more);
    if ('targetUrl' in more) given.targetUrl = url + more.targetUrl;
    const result = await agent.call('request', given);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { status: 'ERROR', executed: false, statusCode, errorCode, next: expect.any(String) },
    });
    expect((result.structuredContent as unknown as McpAnswerFields).error).toContain(error);
    expect(gateway.upstream.calls.length).toBe(before);
  });

  it('to a service out of scope is an error, and recorded like any refusal', async () => {
    const targetUrl = 'https://elsewhere.example/x';
    expect(await agent.ask('request', { method: 'GET', targetUrl, intent: 'wander' })).toMatchObject({
      statusCode: 404,
      errorCode: 'service_unknown',
      next: 'Nothing was sent. Call list_services to see which base URLs you may reach.',
    });
    expect((await gateway.audit())[0]).toMatchObject({
      outcome: 'refused',
      url: targetUrl,
      intent: 'wander',
      status: 404,
    });
  });

  it('with an unknown outcome says so, and is not sent again', async () => {
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const before = callsOf('/orders');
    const lost = await agent.ask('request', place('{}', { idempotencyKey: 'lost' }));
    expect(lost).toMatchObject({ status: 'ERROR', executed: null, statusCode: 502, errorCode: 'outcome_unknown' });
    expect(lost.next).toContain('check with a GET first');
    expect(await agent.ask('request', place('{}', { idempotencyKey: 'lost' }))).toEqual(lost);
    expect(callsOf('/orders')).toBe(before + 1);
  });

  it('with invalid arguments is an error that names each of them', async () => {
    const result = await agent.ask('request', { method: 'FETCH', targetUrl: 7, headers: { a: 1 }, waitSeconds: 61 });
    expect(result.error).toBe(
      'intent: is required; method: must be one of GET, POST, PUT, DELETE, PATCH, HEAD, OPTIONS; targetUrl: must be a string; ' +
        'headers: must be an object whose values are strings; waitSeconds: must be an integer from 0 to 60',
    );
  });
});

describe('a held request', () => {
  beforeEach(() => gateway.upstream.answer((_call, response) => response.writeHead(200).end('{"gone":true}')));

  it('is executed in the same call when a human approves meanwhile', async () => {
    const { onprogress, actionId, progress } = onceHeld();
    const answer = agent.ask('request', erase('/customers/1'), { onprogress });
    const id = await actionId;
    expect(progress[0]).toMatchObject({
      progress: 0,
      total: 55,
      message: expect.stringContaining('DELETE customer 1'),
    });
    expect(callsOf('/customers/1')).toBe(0);
    await gateway.approve(id);
    expect(await answer).toEqual({
      status: 'EXECUTED',
      executed: true,
      actionId: id,
      response: { status: 200, headers: {}, body: '{"gone":true}' },
    });
    expect(callsOf('/customers/1')).toBe(1);
    expect((await gateway.audit(`&actionId=${id}`)).map(({ outcome }) => outcome)).toEqual(
      expect.arrayContaining(['held', 'executed']),
    );
  });

  it('that is denied returns the note, and is not an error', async () => {
    const { onprogress, actionId } = onceHeld();
    const result = agent.call('request', erase('/customers/2'), { onprogress });
    await gateway.deny(await actionId, 'Not this one');
    expect((await result).isError).toBeUndefined();
    expect((await result).structuredContent).toMatchObject({ status: 'DENIED', executed: false, note: 'Not this one' });
    expect(callsOf('/customers/2')).toBe(0);
  });

  it('is executed once by execute_action if the decision takes longer than the wait', async () => {
    const held = await agent.ask('request', erase('/customers/3', { waitSeconds: 1 }));
    expect(held).toMatchObject({
      status: 'PENDING_APPROVAL',
      executed: false,
      riskExplanation: 'Risk rule "Ask before DELETE" requires approval',
      next: expect.stringContaining(`Call get_action with actionId "${held.actionId}"`),
    });
    const { actionId } = held;
    expect(await agent.ask('execute_action', { actionId })).toMatchObject({
      status: 'ERROR',
      executed: false,
      statusCode: 409,
      errorCode: 'action_pending',
      next: expect.stringContaining('Call get_action'),
    });
    await gateway.approve(actionId);
    expect(await agent.ask('get_action', { actionId })).toMatchObject({ status: 'APPROVED', executed: false });
    const answers = await Promise.all([1, 2, 3].map(() => agent.ask('execute_action', { actionId })));
    expect(answers.filter(({ executed }) => executed === true)).toHaveLength(1);
    expect(callsOf('/customers/3')).toBe(1);
    expect(await agent.call('execute_action', { actionId })).toMatchObject({
      isError: true,
      structuredContent: {
        error: 'Cannot execute action with status EXECUTED',
        errorCode: 'action_executed',
        actionId,
        next: 'Nothing was sent by this call. Call get_action with the same actionId: it returns the outcome of the request.',
      },
    });
    expect(await agent.ask('get_action', { actionId })).toMatchObject({
      status: 'EXECUTED',
      response: { body: '{"gone":true}' },
    });
    const refusals = (await gateway.audit(`&actionId=${actionId}`)).filter(({ outcome }) => outcome === 'refused');
    expect(refusals.length).toBeGreaterThanOrEqual(2);
    expect(refusals[0]).toMatchObject({ kind: 'execution', url: `/proxy/execute/${actionId}`, status: 409 });
  });

  it('keeps its idempotency key', async () => {
    await createRule(gateway.app, gateway.token, gateway.service.id, {
      name: 'Ask before large orders',
      effect: 'require_approval',
      pathPattern: '/large',
    });
    const given = place('{"all":true}', { targetUrl: `${url}/large`, waitSeconds: 0 });
    const held = await agent.ask('request', given);
    expect(held).toMatchObject({ status: 'PENDING_APPROVAL', idempotencyKey: expect.any(String) });
    const { idempotencyKey } = held;
    expect((await agent.ask('request', { ...given, idempotencyKey })).actionId).toBe(held.actionId);
    await gateway.approve(held.actionId);
    await agent.ask('execute_action', { actionId: held.actionId });
    expect(await agent.ask('request', { ...given, idempotencyKey })).toMatchObject({
      status: 'EXECUTED',
      executed: true,
    });
    expect(callsOf('/large')).toBe(1);
  });

  it('is not executed for an agent that was revoked during the wait', async () => {
    const { agent: revoked, apiKey } = await gateway.createAgent('soon-gone', [gateway.service.id]);
    const other = await McpAgent.connect(gateway.url, { 'Agent-Key': apiKey });
    const { onprogress, actionId } = onceHeld();
    const answer = other.ask('request', erase('/customers/4'), { onprogress });
    const id = await actionId;
    await gateway.admin(`PUT /agents/${revoked.id}`, { isActive: false });
    // The action can't be approved any more; a denial ends the wait.
    await gateway.deny(id);
    expect(await answer).toMatchObject({
      status: 'ERROR',
      executed: false,
      errorCode: 'agent_key_revoked',
      actionId: id,
    });
    expect(callsOf('/customers/4')).toBe(0);
    await other.close();
  });

  it('of another agent can’t be seen or executed', async () => {
    const held = await agent.ask('request', erase('/customers/5', { waitSeconds: 0 }));
    await gateway.approve(held.actionId);
    const { apiKey } = await gateway.createAgent('stranger', [gateway.service.id]);
    const other = await McpAgent.connect(gateway.url, { 'Agent-Key': apiKey });
    for (const tool of ['get_action', 'execute_action']) {
      expect(await other.ask(tool, { actionId: held.actionId })).toMatchObject({ errorCode: 'action_unknown' });
      expect(await other.ask(tool, { actionId: 'x' })).toMatchObject({ errorCode: 'action_unknown' });
    }
    expect(callsOf('/customers/5')).toBe(0);
    await other.close();
  });
});

describe('waiting', () => {
  const inFlight = () => gateway.app.app.get(CallsInFlight).size;
  const waits = () => gateway.app.app.get<{ waiting: Map<string, unknown> }>(EventHub).waiting.size;

  it('ends when the client disconnects, and the action stays executable after an approval', async () => {
    const leaving = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
    const { onprogress, actionId } = onceHeld();
    const call = leaving.call('request', erase('/customers/6'), { onprogress });
    call.catch(() => undefined);
    const id = await actionId;
    await eventually(() => inFlight() === 1 && waits() === 1);
    await leaving.close();
    await eventually(() => inFlight() === 0 && waits() === 0);
    await gateway.approve(id);
    expect(await agent.ask('get_action', { actionId: id })).toMatchObject({ status: 'APPROVED', executed: false });
    expect(callsOf('/customers/6')).toBe(0);
  });

  it('ends when the client cancels the call', async () => {
    const { onprogress, actionId } = onceHeld();
    const controller = new AbortController();
    const call = agent.call('request', erase('/customers/7'), { onprogress, signal: controller.signal });
    const id = await actionId;
    controller.abort('changed my mind');
    await expect(call).rejects.toThrow('changed my mind');
    await eventually(() => inFlight() === 0 && waits() === 0);
    await gateway.approve(id);
    expect(await agent.ask('get_action', { actionId: id })).toMatchObject({ status: 'APPROVED' });
    expect(callsOf('/customers/7')).toBe(0);
  });

  it('works for ten parallel calls of one agent', async () => {
    const answers = Array.from({ length: 10 }, async (_, n) => {
      const { onprogress, actionId } = onceHeld();
      const answer = agent.ask('request', erase(`/many/${n}`), { onprogress });
      await actionId;
      return answer;
    });
    const pending = await eventually(async () => {
      const { items } = await gateway.admin<{ items: { action_id: string; targetUrl: string }[] }>(
        'GET /approvals?q=/many/',
      );
      return items.length === 10 && items;
    });
    await Promise.all(pending.map(({ action_id }) => gateway.approve(action_id)));
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 'EXECUTED' });
    expect(gateway.upstream.calls.filter(({ path }) => path.startsWith('/v1/many/'))).toHaveLength(10);
    expect([inFlight(), waits()]).toEqual([0, 0]);
  });

  it('works without progress, for clients that accept only JSON', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 'a',
      method: 'tools/call',
      params: { name: 'request', arguments: erase('/customers/8'), _meta: { progressToken: 1 } },
    };
    const answer = fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'Agent-Key': gateway.agentKey, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(message),
    });
    const [{ action_id }] = await eventually(async () => {
      const { items } = await gateway.admin<{ items: { action_id: string }[] }>('GET /approvals?q=/customers/8');
      return items.length === 1 && items;
    });
    await gateway.approve(action_id);
    const response = await answer;
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ id: 'a', result: { structuredContent: { status: 'EXECUTED' } } });
  });
});

it('applies a rule that was created a moment ago', async () => {
  gateway.upstream.answer((_call, response) => response.end('{}'));
  expect((await agent.ask('request', read('/fresh'))).status).toBe('FORWARDED');
  await createRule(gateway.app, gateway.token, gateway.service.id, { name: 'Closed', pathPattern: '/fresh' });
  expect((await agent.ask('request', read('/fresh'))).error).toBe('Denied by risk rule "Closed"');
});

describe("the inspector's command line", () => {
  const inspect = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        'cli.js',
        '--cli',
        `${gateway.url}/mcp`,
        '--transport',
        'http',
        ...args,
        '--header',
        `Agent-Key: ${gateway.agentKey}`,
      ],
      // The inspector looks for its own manifest in this directory.
      { cwd: 'node_modules/@modelcontextprotocol/inspector-cli/build', timeout: 100_000 },
    );
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('lists the tools', async () => {
    const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual([
      'list_services',
      'search_docs',
      'get_operation',
      'request',
      'get_action',
      'execute_action',
    ]);
  });

  it('calls a tool', async () => {
    gateway.upstream.answer((_call, response) => response.end('{"id":9}'));
    const given = Object.entries(read('/customers/9')).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]);
    expect(await inspect('--method', 'tools/call', '--tool-name', 'request', ...given)).toMatchObject({
      structuredContent: { status: 'FORWARDED', response: { status: 200, body: '{"id":9}' } },
    });
  });
});
