/** The protocol of `POST /mcp`: versions, keys, origins, malformed messages. The tools are in mcp-tools.e2e.ts. */
import type { JSONRPCResponse } from '@modelcontextprotocol/sdk/types.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { McpAgent } from './support/mcp-client.js';

let gateway: Gateway;
let agent: McpAgent;
beforeAll(async () => {
  gateway = await startGateway({ CORS_ORIGINS: 'https://trusted.example' });
  agent = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
});
afterAll(async () => {
  await agent?.close();
  await gateway?.close();
});

/** Sends one message without the SDK's client. */
async function post(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'Agent-Key': gateway.agentKey,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
}

const rpc = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const json = async <T = JSONRPCResponse & { error: { code: number; message: string } }>(response: Response) =>
  (await response.json()) as T;
const initialize = (protocolVersion: string) =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } });

describe('the protocol', () => {
  it('works with the SDK client: server, instructions, ping', async () => {
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'agent-gateway' });
    expect(agent.client.getServerCapabilities()).toEqual({ tools: {} });
    expect(agent.client.getInstructions()).toContain('asks a human to approve risky requests');
    expect(await agent.client.ping()).toEqual({});
  });

  it('accepts the agent key as a bearer token too', async () => {
    const other = await McpAgent.connect(gateway.url, { Authorization: `Bearer ${gateway.agentKey}` });
    expect((await other.ask<{ agent: string }>('list_services')).agent).toBe('support-bot');
    await other.close();
  });

  it.each([
    [{ 'Agent-Key': '' }, 'Missing Agent-Key header'],
    [{ 'Agent-Key': 'nonsense' }, 'Invalid Agent-Key format'],
    [{ 'Agent-Key': `agt_${'0'.repeat(64)}` }, 'Invalid Agent-Key'],
    [{ 'Agent-Key': '', Authorization: 'Bearer agt_nonsense' }, 'Missing Agent-Key header'],
  ])('refuses %j', async (headers, error) => {
    const response = await post(rpc('tools/list'), headers);
    expect([response.status, await json(response)]).toEqual([401, { error, statusCode: 401 }]);
    await expect(McpAgent.connect(gateway.url, headers)).rejects.toThrow(error);
  });

  it('refuses a revoked key on any message', async () => {
    const { agent: revoked, apiKey } = await gateway.createAgent('revoked-bot', [gateway.service.id]);
    const headers = { 'Agent-Key': apiKey };
    expect((await post(rpc('tools/list'), headers)).status).toBe(200);
    await gateway.admin(`PUT /agents/${revoked.id}`, { isActive: false });
    for (const message of [
      initialize('2025-11-25'),
      rpc('ping'),
      rpc('tools/list'),
      rpc('tools/call', { name: 'list_services' }),
    ]) {
      expect((await post(message, headers)).status).toBe(401);
    }
  });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])('speaks version %s', async (version) => {
    const response = await post(initialize(version));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await json(response)).toMatchObject({ jsonrpc: '2.0', id: 1, result: { protocolVersion: version } });
    expect((await post(rpc('tools/list'), { 'MCP-Protocol-Version': version })).status).toBe(200);
  });

  it('offers its newest version to a client from the future, and refuses an unknown version header', async () => {
    expect(await json(await post(initialize('2099-01-01')))).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    });
    const response = await post(rpc('tools/list'), { 'MCP-Protocol-Version': '2099-01-01' });
    expect(response.status).toBe(400);
    expect((await json<{ error: string }>(response)).error).toMatch(
      /^MCP-Protocol-Version 2099-01-01 is not supported/,
    );
  });

  it.each([
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    [{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } }],
    [{ jsonrpc: '2.0', method: 'notifications/nobody-knows' }],
    [{ jsonrpc: '2.0', id: 3, result: {} }],
  ])('accepts %j, and returns nothing', async (message) => {
    const response = await post(message);
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  it.each([
    ['a batch', [rpc('ping'), rpc('tools/list')], 400, 'Request body must be a JSON object'],
    ['invalid JSON', '{"jsonrpc"', 400, 'Invalid JSON in request body'],
    ['no JSON-RPC', { hello: 'world' }, 400, 'Request body must be one JSON-RPC 2.0 message'],
    ['an id that is null', { ...rpc('ping'), id: null }, 400, 'Request body must be one JSON-RPC 2.0 message'],
    [
      'another version of JSON-RPC',
      { ...rpc('ping'), jsonrpc: '1.0' },
      400,
      'Request body must be one JSON-RPC 2.0 message',
    ],
    ['deep JSON', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 400, 'JSON must not be nested deeper than 64 levels'],
    ['a large body', ' '.repeat(10 * 1024 * 1024 + 1), 413, 'Request body exceeds 10MB limit'],
  ])('refuses %s', async (_what, message, status, error) => {
    const response = await post(message);
    expect([response.status, await json(response)]).toMatchObject([status, { error, statusCode: status }]);
  });

  it('refuses other content types, and callers that do not accept JSON', async () => {
    expect((await post(rpc('ping'), { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await post(rpc('ping'), { Accept: 'text/html' })).status).toBe(406);
    expect((await post(rpc('ping'), { Accept: '*/*' })).status).toBe(200);
    expect((await post(rpc('ping'), { Accept: 'application/json' })).status).toBe(200);
  });

  it('accepts calls from pages that the operator trusts, and from no others', async () => {
    expect((await post(rpc('ping'), { Origin: 'https://trusted.example' })).status).toBe(200);
    const own = `http://rebound.example:${new URL(gateway.url).port}`;
    for (const origin of ['https://evil.example', own, 'null']) {
      const response = await post(rpc('ping'), { Origin: origin });
      expect([response.status, (await json<{ error: string }>(response)).error]).toEqual([
        403,
        `Origin ${origin} is not allowed: the operator may add it to CORS_ORIGINS`,
      ]);
    }
  });

  it.each(['GET', 'DELETE'])('answers %s with 405 and says what to do', async (method) => {
    const response = await fetch(`${gateway.url}/mcp`, {
      method,
      headers: { 'Agent-Key': gateway.agentKey, Accept: 'text/event-stream' },
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await json<{ error: string }>(response)).error).toMatch(
      /^Method not allowed: there .*; send each message as POST/,
    );
  });

  it('answers unknown methods and tools, and malformed calls, with JSON-RPC errors', async () => {
    const readRpcError = async (message: object) => (await json(await post(message))).error;
    expect(await readRpcError(rpc('resources/list'))).toMatchObject({ code: -32601, message: 'Method not found' });
    expect(await readRpcError(rpc('tools/call', { name: 'approve_action' }))).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/Unknown tool "approve_action"; the tools are list_services, /),
    });
    for (const [params, message] of [
      [undefined, 'params: is required'],
      [[], 'params: must be an object'],
      ['x', 'params: must be an object'],
      [{ arguments: {} }, 'params.name: must be a string'],
      [{ name: 7 }, 'params.name: must be a string'],
      [{ name: 'list_services', arguments: 'x' }, 'params.arguments: must be an object'],
      [{ name: 'list_services', arguments: [] }, 'params.arguments: must be an object'],
      [{ name: 'list_services', _meta: 'x' }, 'params._meta: must be an object'],
    ] as [object, string][]) {
      expect(await readRpcError({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toEqual({
        code: -32602,
        message,
      });
    }
    expect(await readRpcError(rpc('initialize', { protocolVersion: 7 }))).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^params\.protocolVersion: .*; params\.capabilities: /),
    });
  });

  it('takes null for an optional argument as absent, in every tool', async () => {
    const { tools } = await agent.client.listTools();
    for (const { name, inputSchema } of tools) {
      const required = inputSchema.required ?? [];
      const optional = Object.keys(inputSchema.properties ?? {}).filter((each) => !required.includes(each));
      const nulls = Object.fromEntries(optional.map((each) => [each, null]));
      const answers = await Promise.all(
        [{}, nulls].map(async (given) => {
          const response = await post(rpc('tools/call', { name, arguments: given, _meta: null }));
          return (await json<{ result: { content: [{ text: string }] } }>(response)).result.content[0].text;
        }),
      );
      expect(answers[1]).toBe(answers[0]);
      for (const each of optional) expect(answers[1]).not.toContain(`${each}: `);
    }
    expect(await (await post(rpc('tools/call', { name: 'list_services', arguments: null }))).text()).toContain(
      '"result"',
    );
  });
});
