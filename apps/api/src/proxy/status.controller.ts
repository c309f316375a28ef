import { Controller, Get, Headers, Param, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { POLL_INTERVAL_SECONDS } from '#contracts';
import type { AgentView } from '../agents/agent-directory.js';
import { CurrentAgent, FreshAgentKeyGuard } from '../agents/agent-key.guard.js';
import { toStatusResponse } from '../approvals/action-mapper.js';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { DecisionWaiter } from '../approvals/decision-waiter.js';
import { ApiStatus } from './api-proxy.js';
import { abortWhenGone } from './client-gone.js';
import { preferredWait } from './prefer.js';

@ApiTags('Agents: requests')
@Controller('status')
@UseGuards(FreshAgentKeyGuard)
export class StatusController {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly waiter: DecisionWaiter,
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
    const status = toStatusResponse(action);
    if (waitSeconds > 0) response.setHeader('Preference-Applied', `wait=${waitSeconds}`);
    if (status.status === 'PENDING') response.setHeader('Retry-After', String(POLL_INTERVAL_SECONDS));
    const json = JSON.stringify(status);
    answerRoom.write(Buffer.byteLength(json));
    response.type('application/json').send(json);
  }
}
