import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { EventHub } from '../src/events/event-hub.js';
import { CallsInFlight } from '../src/mcp/calls-in-flight.js';
import { eventually } from './support/eventually.js';
import type { Gateway } from './support/gateway.js';
import { McpAgent } from './support/mcp-client.js';
import { McpShop } from './support/mcp-shop.js';
import { createRule } from './support/resources.js';

let shop: McpShop;
let agent: McpAgent;
let countCalls: McpShop['countCalls'];
let erase: McpShop['erase'];
let gateway: Gateway;
let place: McpShop['place'];
let url: string;
beforeAll(async () => {
  shop = await McpShop.start();
  ({ agent, countCalls, erase, gateway, place, url } = shop);
});
afterAll(() => shop?.close());

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
    expect(countCalls('/customers/1')).toBe(0);
    await gateway.approve(id);
    expect(await answer).toEqual({
      status: 'EXECUTED',
      executed: true,
      actionId: id,
      response: { status: 200, headers: {}, body: '{"gone":true}' },
    });
    expect(countCalls('/customers/1')).toBe(1);
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
    expect(countCalls('/customers/2')).toBe(0);
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
    expect(countCalls('/customers/3')).toBe(1);
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
    expect(countCalls('/large')).toBe(1);
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
    expect(countCalls('/customers/4')).toBe(0);
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
    expect(countCalls('/customers/5')).toBe(0);
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
    expect(countCalls('/customers/6')).toBe(0);
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
    expect(countCalls('/customers/7')).toBe(0);
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
