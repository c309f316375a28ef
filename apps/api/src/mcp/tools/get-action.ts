import { Injectable } from '@nestjs/common';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { ApprovalQueue } from '../../approvals/approval-queue.js';
import { DecisionWaiter } from '../../approvals/decision-waiter.js';
import { Clock } from '../../platform/clock.js';
import { actionResult } from './answer.js';
import { actionId, ANSWER, BODY_DEFAULT_CHARS, maxBodyChars, WAIT_DEFAULT_SECONDS, waitSeconds } from './schemas.js';
import type { McpTool, ToolArguments, ToolContext } from './tool.js';
import { WaitReporter } from './wait-reporter.js';

interface Arguments {
  actionId: string;
  waitSeconds?: number;
  maxBodyChars?: number;
}

@Injectable()
export class GetAction implements McpTool {
  readonly definition: Tool = {
    name: 'get_action',
    title: 'Get the state of a held request',
    description:
      'Returns the state of a request that was held for approval, and waits for the decision while it is pending. Call it ' +
      'after PENDING_APPROVAL, and again until the status changes. It sends nothing and decides nothing: on ' +
      'APPROVED call execute_action; on EXECUTED the stored response of the API is returned.',
    inputSchema: {
      type: 'object',
      properties: { actionId, waitSeconds, maxBodyChars },
      required: ['actionId'],
      additionalProperties: false,
    },
    outputSchema: ANSWER,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };

  constructor(
    private readonly queue: ApprovalQueue,
    private readonly waiter: DecisionWaiter,
    private readonly clock: Clock,
  ) {}

  async run(given: ToolArguments, context: ToolContext): Promise<CallToolResult> {
    const { actionId: id, maxBodyChars: chars = BODY_DEFAULT_CHARS, ...rest } = given as unknown as Arguments;
    const { waitSeconds: seconds = WAIT_DEFAULT_SECONDS } = rest;
    context.handle.actionId = id;
    const read = () => this.queue.polledBy(context.agent.id, id, context.room);
    const reporter = new WaitReporter(context, this.clock, seconds);
    try {
      const action = await this.waiter.decision(id, seconds, context.gone, async () => {
        const current = await read();
        reporter.waitingFor(current);
        return current;
      });
      return actionResult(action, chars);
    } finally {
      reporter.stop();
    }
  }
}
