import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { AgentView } from '../agents/agent-directory.js';

/** What a call of a tool knows of its caller. */
export interface ToolContext {
  agent: AgentView;
  /** The tool says here what names its request, as soon as it knows: errors carry it too. */
  handle: Handle;
  requestId: string;
  /** Aborts when the caller hangs up or cancels the call. It ends waits, and nothing that is being sent. */
  gone: AbortSignal;
  /** Tells the caller how far a wait is, if it wants to know. */
  progress: (elapsedSeconds: number, totalSeconds: number, message: string) => void;
}

/** What names a request when it is asked for again. */
export interface Handle {
  actionId?: string;
  idempotencyKey?: string;
}

export type ToolArguments = Record<string, unknown>;

/** One tool: what a language model reads of it, and what it does. */
export interface McpTool {
  readonly definition: Tool;
  /** @param given checked against the definition's `inputSchema` @throws ApiError */
  run(given: ToolArguments, context: ToolContext): Promise<CallToolResult>;
}

/** The same as JSON text, for clients that don't read structured results. */
export function toolResult(structuredContent: Record<string, unknown>, isError = false): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    ...(isError ? { isError } : {}),
  };
}
