import { startGateway, type Gateway } from './gateway.js';
import { McpAgent } from './mcp-client.js';
import { createRule } from './resources.js';

/** An MCP client of a shop whose rules decide everything: DELETE waits, refunds are denied, the rest passes. */
export class McpShop {
  private constructor(
    readonly gateway: Gateway,
    readonly agent: McpAgent,
    readonly url: string,
  ) {}

  static async start(): Promise<McpShop> {
    const gateway = await startGateway();
    const { app, token, service } = gateway;
    await createRule(app, token, service.id, {
      name: 'Ask before DELETE',
      effect: 'require_approval',
      methods: ['DELETE'],
    });
    await createRule(app, token, service.id, { name: 'No refunds', effect: 'deny', pathPattern: '/refunds' });
    await createRule(app, token, service.id, { name: 'Reads and writes pass', effect: 'allow' });
    const agent = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
    return new McpShop(gateway, agent, `${gateway.upstream.url}/v1`);
  }

  readonly read = (path: string, more: object = {}) => ({
    method: 'GET',
    targetUrl: this.url + path,
    intent: 'look',
    ...more,
  });

  readonly erase = (path: string, more: object = {}) => ({
    method: 'DELETE',
    targetUrl: this.url + path,
    intent: 'The customer asked us to',
    ...more,
  });

  readonly place = (body: string, more: object = {}) => ({
    method: 'POST',
    targetUrl: `${this.url}/orders`,
    intent: 'order',
    body,
    ...more,
  });

  /** How many requests the upstream got for a path. */
  readonly countCalls = (path: string) =>
    this.gateway.upstream.calls.filter((call) => call.path === `/v1${path}`).length;

  async close(): Promise<void> {
    await this.agent.close();
    await this.gateway.close();
  }
}
