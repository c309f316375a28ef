/** The MCP tools that read: services, documentation, actions. `request` and `execute_action` are in mcp-requests.e2e.ts. */
import { readFileSync } from 'node:fs';
import { startGateway, SECRET, type Gateway } from './support/gateway.js';
import { McpAgent } from './support/mcp-client.js';
import { createDocument, createRule } from './support/resources.js';

let gateway: Gateway;
let agent: McpAgent;
beforeAll(async () => {
  gateway = await startGateway();
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

describe('the tools', () => {
  it('are the same in every listing, in their order of use', async () => {
    const lists = await Promise.all([1, 2].map(() => agent.client.listTools()));
    expect(JSON.stringify(lists[0])).toBe(JSON.stringify(lists[1]));
    const { tools } = lists[0];
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

  it('search_docs and get_operation find the tools of an MCP server', async () => {
    const tools = [{ name: 'launch_balloon', description: 'Lets a balloon rise.' }];
    const document = await createDocument(gateway.app, gateway.token, gateway.service.id, {
      type: 'mcp',
      title: 'Tools',
      content: JSON.stringify({ tools }),
    });
    const url = `${gateway.upstream.url}/v1`;
    const { operations } = await agent.ask<{ operations: object[] }>('search_docs', { query: 'launch a balloon' });
    expect(operations).toEqual([
      { service: 'Shop', method: 'POST', url, tool: 'launch_balloon', summary: 'Lets a balloon rise.' },
    ]);
    expect(await agent.ask('get_operation', { method: 'POST', url, tool: 'launch_balloon' })).toMatchObject({
      operationId: 'launch_balloon',
      url,
      documentation: expect.stringContaining('Lets a balloon rise.'),
    });
    expect((await agent.ask('get_operation', { method: 'POST', url, tool: 'other' })).error).toBe(
      `No documented operation of "Shop" fits POST ${url} with the tool "other": use search_docs`,
    );
    await gateway.admin(`DELETE /services/${gateway.service.id}/documentation/${document.id}`);
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
