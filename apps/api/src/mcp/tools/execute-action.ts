import { Injectable } from '@nestjs/common';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { RequestCounter } from '../../proxy/request-counter.js';
import { ProxyPipeline } from '../../proxy/proxy-pipeline.js';
import { outcomeResult } from './answer.js';
import { actionId, ANSWER, BODY_DEFAULT_CHARS, maxBodyChars } from './schemas.js';
import type { McpTool, ToolArguments, ToolContext } from './tool.js';

interface Arguments {
  actionId: string;
  maxBodyChars?: number;
}

@Injectable()
export class ExecuteAction implements McpTool {
  readonly definition: Tool = {
    name: 'execute_action',
    title: 'Send an approved request',
    description:
      'Sends a held request that a human has approved, as it was stored, once, and returns the response of the API. Call it ' +
      'when get_action says APPROVED. It cannot approve anything. A second call sends nothing: it reports the outcome of the first.',
    inputSchema: {
      type: 'object',
      properties: { actionId, maxBodyChars },
      required: ['actionId'],
      additionalProperties: false,
    },
    outputSchema: ANSWER,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  };

  constructor(
    private readonly pipeline: ProxyPipeline,
    private readonly counter: RequestCounter,
  ) {}

  async run(given: ToolArguments, { agent, requestId, room, handle }: ToolContext): Promise<CallToolResult> {
    const { actionId: id, maxBodyChars: chars = BODY_DEFAULT_CHARS } = given as unknown as Arguments;
    handle.actionId = id;
    const outcome = await this.counter.count('mcp', agent, () => this.pipeline.execute(agent, id, requestId, room));
    return outcomeResult(outcome, chars, handle);
  }
}
