import { Controller, Get, Headers, Param, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { POLL_INTERVAL_SECONDS } from '#contracts';
import type { AgentView } from '../agents/agent-directory.js';
import { CurrentAgent, FreshAgentKeyGuard } from '../agents/agent-key.guard.js';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { DecisionWaiter } from '../approvals/decision-waiter.js';
import { Turns } from '../platform/turns.js';
import { ApiStatus } from './api-proxy.js';
import { abortWhenGone } from './client-gone.js';
import { preferredWait } from './prefer.js';
import { writeStatus } from './status-json.js';

@ApiTags('Agents: requests')
@Controller('status')
@UseGuards(FreshAgentKeyGuard)
export class StatusController {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly waiter: DecisionWaiter,
    private readonly turns: Turns,
  ) {}

  @Get(':actionId')
  @ApiStatus()
  async status(
    @CurrentAgent() agent: AgentView,
    @Param('actionId') actionId: string,
    @Headers('prefer') prefer: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const { answerRoom } = response.req;
    const read = () => this.queue.polledBy(agent.id, actionId, answerRoom);
    const waitSeconds = preferredWait(prefer);
    const action = await answerRoom.during(() =>
      waitSeconds === 0 ? read() : this.waiter.decision(actionId, waitSeconds, abortWhenGone(response), read),
    );
    if (waitSeconds > 0) response.setHeader('Preference-Applied', `wait=${waitSeconds}`);
    if (action.agentStatus === 'PENDING') response.setHeader('Retry-After', String(POLL_INTERVAL_SECONDS));
    writeStatus(response, action, (step) => this.turns.take(agent.id, step));
  }
}
