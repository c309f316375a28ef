import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Gateway } from './support/gateway.js';
import { McpShop } from './support/mcp-shop.js';

let shop: McpShop;
let gateway: Gateway;
let read: McpShop['read'];
beforeAll(async () => {
  shop = await McpShop.start();
  ({ gateway, read } = shop);
});
afterAll(() => shop?.close());

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
