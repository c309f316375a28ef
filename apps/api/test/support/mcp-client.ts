import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';

/** The result of a tool about a request. */
export interface McpAnswerFields {
  status: string;
  executed: boolean | null;
  actionId: string;
  idempotencyKey?: string;
  response: { status: number; headers: Record<string, string>; body: string; [field: string]: unknown };
  note?: string;
  error?: string;
  statusCode?: number;
  next: string;
  [field: string]: unknown;
}

interface CallOptions {
  onprogress?: (progress: Progress) => void;
  signal?: AbortSignal;
}

/** An MCP client: the SDK's own, connected to `POST /mcp` with an agent key. */
export class McpAgent {
  private constructor(
    readonly client: Client,
    readonly transport: StreamableHTTPClientTransport,
  ) {}

  static async connect(url: string, headers: Record<string, string>): Promise<McpAgent> {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
    await client.connect(transport);
    // From here on the client validates every structured result against the tool's own schema.
    await client.listTools();
    return new McpAgent(client, transport);
  }

  async call(name: string, given: object = {}, { onprogress, signal }: CallOptions = {}): Promise<CallToolResult> {
    const result = await this.client.callTool({ name, arguments: { ...given } }, undefined, {
      ...(onprogress ? { onprogress } : {}),
      ...(signal ? { signal } : {}),
      timeout: 90_000,
    });
    return result as CallToolResult;
  }

  /** The structured part of a tool's result; its text has the same content. */
  async ask<T = McpAnswerFields>(name: string, given: object = {}, options: CallOptions = {}): Promise<T> {
    const { structuredContent, content } = await this.call(name, given, options);
    const [{ text }] = content as { text: string }[];
    if (structuredContent !== undefined) expect(JSON.parse(text)).toEqual(structuredContent);
    return JSON.parse(text) as T;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
