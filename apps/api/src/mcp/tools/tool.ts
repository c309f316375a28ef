import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { AgentView } from '../../agents/agent-directory.js';
import type { AnswerRoom } from '../../agents/answer-room.js';

/** The caller of a tool. */
export interface ToolContext {
  agent: AgentView;
  /** The tool fills in the names of its request as soon as it has them, so that errors carry them too. */
  handle: Handle;
  /** The largest body of a request to an API, decoded. */
  bodyMaxBytes: number;
  /** Charges the bytes of a body without its coding to the agent. @throws ApiError 429, 503 */
  charge: (bytes: number) => void;
  requestId: string;
  /** The memory for the answer of an API. */
  room: AnswerRoom;
  /**
   * Aborts when the caller hangs up or cancels the call. It ends waits. It does not end a request that is being sent.
   */
  gone: AbortSignal;
  /** Reports the progress of a wait, if the caller asked for it. */
  progress: (elapsedSeconds: number, totalSeconds: number, message: string) => void;
}

/** The names by which a caller can refer to its request again. */
export interface Handle {
  actionId?: string;
  idempotencyKey?: string;
}

export type ToolArguments = Record<string, unknown>;

/** One tool: its description for language models, and its work. */
export interface McpTool {
  readonly definition: Tool;
  /** @param given checked against the definition's `inputSchema` @throws ApiError */
  run(given: ToolArguments, context: ToolContext): Promise<CallToolResult>;
}

/** Includes the same as JSON text, for clients that don't read structured results. */
export function toolResult(structuredContent: Record<string, unknown>, isError = false): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    ...(isError ? { isError } : {}),
  };
}
