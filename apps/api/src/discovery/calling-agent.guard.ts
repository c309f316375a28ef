import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { FreshAgentKeyGuard } from '../agents/agent-key.guard.js';
import { bearerAgentKey } from '../agents/bearer-agent-key.js';

/** The agent, by its key in either header, as the database has it now. */
@Injectable()
export class CallingAgentGuard extends FreshAgentKeyGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    headers['agent-key'] ??= bearerAgentKey(headers);
    return super.canActivate(context);
  }
}

/** The same for who shows a key; others pass as nobody. A key that is wrong is refused all the same. */
@Injectable()
export class AgentIfShownGuard implements CanActivate {
  constructor(private readonly guard: CallingAgentGuard) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    const shown = headers['agent-key'] !== undefined || bearerAgentKey(headers) !== undefined;
    return !shown || this.guard.canActivate(context);
  }
}
