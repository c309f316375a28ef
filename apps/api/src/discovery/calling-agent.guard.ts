import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { FreshAgentKeyGuard } from '../agents/agent-key.guard.js';
import { bearerAgentKey } from '../agents/bearer-agent-key.js';

/**
 * Finds the agent by its key in `Agent-Key` or `Authorization`, and always reads its current state from the database.
 */
@Injectable()
export class CallingAgentGuard extends FreshAgentKeyGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    headers['agent-key'] ??= bearerAgentKey(headers);
    return super.canActivate(context);
  }
}

/**
 * Like `CallingAgentGuard`, but the key is optional. A request without a key passes without an agent; a wrong key is
 * refused.
 */
@Injectable()
export class AgentIfShownGuard implements CanActivate {
  constructor(private readonly guard: CallingAgentGuard) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    const shown = headers['agent-key'] !== undefined || bearerAgentKey(headers) !== undefined;
    return !shown || this.guard.canActivate(context);
  }
}
