import { readFileSync } from 'node:fs';
import type { JSONRPCResponse } from '@modelcontextprotocol/sdk/types.js';
import { startGateway, SECRET, type Gateway } from './support/gateway.js';
import { McpAgent } from './support/mcp-client.js';
import { createDocument, createRule } from './support/resources.js';

let gateway: Gateway;
let agent: McpAgent;
beforeAll(async () => {
  gateway = await startGateway({ CORS_ORIGINS: 'https://trusted.example' });
  await createDocument(gateway.app, gateway.token, gateway.service.id, {
    type: 'openapi',
    title: 'Shop API',
    content: JSON.stringify({
      openapi: '3.0.0',
      paths: {
        '/customers': { get: { operationId: 'listCustomers', summary: 'List the customers', responses: {} } },
        '/customers/{id}': {
          get: { operationId: 'getCustomer', summary: 'Read a customer', responses: {} },
          delete: {
            operationId: 'eraseCustomer',
            summary: 'Erase an account',
            parameters: [{ name: 'reason', in: 'query', description: 'Why it is erased' }],
            responses: { 204: { description: 'Gone' } },
          },
        },
        '/orders': { post: { summary: 'Place an order', description: 'For one customer.', responses: {} } },
      },
    }),
  });
  await createDocument(gateway.app, gateway.token, gateway.service.id, {
    type: 'markdown',
    title: 'House rules',
    content: '# Refunds\nAsk first.\n# Vouchers\nAt most two a customer.',
  });
  await createRule(gateway.app, gateway.token, gateway.service.id, {
    name: 'Ask before DELETE',
    effect: 'require_approval',
    methods: ['DELETE'],
  });
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
    const errorOf = async (message: object) => (await json(await post(message))).error;
    expect(await errorOf(rpc('resources/list'))).toMatchObject({ code: -32601, message: 'Method not found' });
    expect(await errorOf(rpc('tools/call', { name: 'approve_action' }))).toMatchObject({
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
      expect(await errorOf({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toEqual({ code: -32602, message });
    }
    expect(await errorOf(rpc('initialize', { protocolVersion: 7 }))).toMatchObject({
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

describe('the tools', () => {
  it('are the same in every listing, in their order of use', async () => {
    const lists = await Promise.all([1, 2].map(async () => (await post(rpc('tools/list'))).text()));
    expect(lists[0]).toBe(lists[1]);
    const { tools } = await agent.client.listTools();
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      expect(tool.description!.length).toBeLessThan(700);
      expect(Object.keys(tool.annotations!).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
    }
  });

  it('report invalid arguments, and how to continue', async () => {
    const result = await agent.call('search_docs', { limit: '5', nonsense: 1 });
    expect(result.isError).toBe(true);
    expect(JSON.parse((result.content[0] as { text: string }).text)).toMatchObject({
      statusCode: 400,
      error:
        'query: is required; nonsense: is not an argument of this tool; it takes query, service, limit; limit: must be an integer from 1 to 50',
      errorCode: 'invalid_request',
      next: 'Nothing was sent. Correct the arguments and call again.',
    });
  });

  it('list_services returns the scope of the agent, and the rules in words', async () => {
    expect(await agent.ask('list_services')).toEqual({
      agent: 'support-bot',
      services: [
        {
          name: 'Shop',
          baseUrl: `${gateway.upstream.url}/v1`,
          documented: true,
          rules: ['DELETE requests: held until a human approves (rule "Ask before DELETE")'],
        },
      ],
      otherwise: expect.stringContaining('Below 0.5 it is sent immediately'),
    });
  });

  it('list_services follows a changed scope immediately', async () => {
    const { agent: created, apiKey } = await gateway.createAgent('moving-bot', [gateway.service.id]);
    const mover = await McpAgent.connect(gateway.url, { 'Agent-Key': apiKey });
    const names = async () =>
      (await mover.ask<{ services: { name: string }[] }>('list_services')).services.map(({ name }) => name);
    expect(await names()).toEqual(['Shop']);
    const other = await gateway.createService({ name: 'Other', baseUrl: `${gateway.upstream.url}/other` });
    await gateway.admin(`PUT /agents/${created.id}/services`, { serviceIds: [other.id] });
    expect(await names()).toEqual(['Other']);
    const none = await mover.call('search_docs', { query: 'customers' });
    expect(none.structuredContent).toMatchObject({ operations: [], next: expect.stringContaining('No documentation') });
    await mover.close();
  });

  it('search_docs finds operations and notes by words, best match first', async () => {
    const found = await agent.ask<{ operations: { method: string; url: string }[]; notes: object[] }>('search_docs', {
      query: 'erase customer accounts',
    });
    expect(found.operations[0]).toEqual({
      service: 'Shop',
      method: 'DELETE',
      url: `${gateway.upstream.url}/v1/customers/{id}`,
      summary: 'Erase an account',
    });
    expect(found.operations).toHaveLength(4);
    const notes = await agent.ask('search_docs', { query: 'vouchers', service: 'shop' });
    expect(notes).toMatchObject({
      operations: [],
      notes: [{ service: 'Shop', text: '[House rules]\n# Vouchers\nAt most two a customer.' }],
    });
    expect(await agent.ask('search_docs', { query: 'customers', limit: 1 })).toMatchObject({
      operations: [{ method: 'GET', url: `${gateway.upstream.url}/v1/customers` }],
    });
  });

  it('search_docs suggests what to do when it finds nothing', async () => {
    expect((await agent.ask('search_docs', { query: 'zeppelin' })).next).toMatch(/^Nothing mentions these words/);
    expect((await agent.ask('search_docs', { query: '%_;' })).next).toMatch(/^Nothing mentions/);
    expect((await agent.ask('search_docs', { query: 'x', service: 'Bank' })).error).toBe(
      'service: you have no service with that name; yours are "Shop"',
    );
  });

  it('get_operation reads the documentation by template and by URL', async () => {
    for (const path of ['customers/{id}', 'customers/42']) {
      const operation = await agent.ask('get_operation', {
        method: 'DELETE',
        url: `${gateway.upstream.url}/v1/${path}`,
      });
      expect(operation).toMatchObject({
        service: 'Shop',
        method: 'DELETE',
        url: `${gateway.upstream.url}/v1/customers/{id}`,
        operationId: 'eraseCustomer',
        documentation: expect.stringContaining('Why it is erased'),
      });
    }
    const unknown = await agent.ask('get_operation', { method: 'PUT', url: `${gateway.upstream.url}/v1/nothing` });
    expect(unknown.error).toBe(
      `No documented operation of "Shop" fits PUT ${gateway.upstream.url}/v1/nothing: use search_docs`,
    );
    const foreign = await agent.ask('get_operation', { method: 'GET', url: 'https://elsewhere.example/x' });
    expect(foreign).toMatchObject({
      statusCode: 404,
      errorCode: 'service_unknown',
      next: expect.stringContaining('list_services'),
    });
  });

  it('get_action reports the outcome of a held request, and nothing to other agents', async () => {
    const held = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/1` });
    const pending = await agent.ask('get_action', { actionId: held.action_id, waitSeconds: 0 });
    expect(pending).toMatchObject({
      status: 'PENDING_APPROVAL',
      executed: false,
      actionId: held.action_id,
      summary: 'Erase an account · customer 1',
      next: expect.stringContaining(`Call get_action with actionId "${held.action_id}"`),
    });

    const { apiKey } = await gateway.createAgent('curious-bot', [gateway.service.id]);
    const other = await McpAgent.connect(gateway.url, { 'Agent-Key': apiKey });
    expect(await other.ask('get_action', { actionId: held.action_id })).toMatchObject({
      status: 'ERROR',
      error: 'Action not found',
      statusCode: 404,
    });
    await other.close();

    await gateway.deny(held.action_id, 'Ask the customer first');
    const denied = await agent.call('get_action', { actionId: held.action_id });
    expect(denied.isError).toBeUndefined();
    expect(denied.structuredContent).toMatchObject({
      status: 'DENIED',
      executed: false,
      note: 'Ask the customer first',
      next: expect.stringContaining('do not try another way'),
    });
  });

  it('get_action waits, reports progress, and returns the decision', async () => {
    const held = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/2` });
    const messages: string[] = [];
    const waited = agent.ask(
      'get_action',
      { actionId: held.action_id },
      {
        onprogress: ({ progress, total, message }) => {
          messages.push(`${progress}/${total} ${message}`);
          void gateway.approve(held.action_id);
        },
      },
    );
    expect(await waited).toMatchObject({
      status: 'APPROVED',
      executed: false,
      next: expect.stringContaining('execute_action'),
    });
    expect(messages[0]).toMatch(
      `0/55 Waiting for a human to decide on action ${held.action_id}: Erase an account · customer 2`,
    );
    expect((await gateway.execute(held.action_id)).status).toBe(200);
    expect(await agent.ask('get_action', { actionId: held.action_id })).toMatchObject({
      status: 'EXECUTED',
      executed: true,
      response: { status: 200, headers: { 'content-type': 'application/json' } },
    });
  });

  it('never reveal a secret', async () => {
    const texts = await Promise.all([
      agent.call('list_services'),
      agent.call('search_docs', { query: 'customer order token credential' }),
      agent.call('get_operation', { method: 'GET', url: `${gateway.upstream.url}/v1/customers` }),
    ]);
    expect(JSON.stringify(texts)).not.toContain(SECRET);
    expect(JSON.stringify(texts)).not.toContain(gateway.agentKey);
  });
});

describe('the recipe for MCP clients', () => {
  interface Snippet {
    mcpServers?: Record<string, Server>;
    servers?: Record<string, Server>;
  }
  interface Server {
    url?: string;
    headers?: Record<string, string>;
    args?: string[];
  }
  const recipe = readFileSync('docs/agents/claude-mcp.md', 'utf8');
  const snippets = [...recipe.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, text]) => JSON.parse(text) as Snippet);

  it.each(snippets)('connects with %j', async ({ mcpServers, servers }) => {
    const { url, headers, args } = (mcpServers ?? servers)!['agent-gateway'];
    // mcp-remote takes the address and the header as arguments.
    const [, , address, , header = ''] = args ?? [];
    const names = headers ? Object.keys(headers) : [header.split(':')[0]];
    expect(new URL(url ?? address).pathname).toBe('/mcp');
    const client = await McpAgent.connect(
      gateway.url,
      Object.fromEntries(names.map((name) => [name, gateway.agentKey])),
    );
    await client.close();
  });

  it('names every tool, and no other', async () => {
    const { tools } = await agent.client.listTools();
    const named = [...recipe.matchAll(/^\| `([a-z]+_[a-z]+|request)` \|/gm)].map(([, name]) => name);
    expect(named).toEqual(tools.map(({ name }) => name));
  });
});
