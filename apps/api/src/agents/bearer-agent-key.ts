import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { AGENT_KEY_PREFIX } from '#contracts';
import { AgentKeyGuard } from './agent-key.guard.js';

const BEARER_KEY = new RegExp(`^Bearer +(${AGENT_KEY_PREFIX}\\S*)$`, 'i');

/**
 * The agent key in `Authorization: Bearer agt_…`, the only header that many programs let you set. Undefined for other
 * tokens.
 */
export function bearerAgentKey({ authorization }: IncomingHttpHeaders): string | undefined {
  return BEARER_KEY.exec(authorization ?? '')?.[1];
}

/** Accepts the agent key in either header. `Agent-Key` takes precedence. */
@Injectable()
export class BearerAgentKeyGuard extends AgentKeyGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    headers['agent-key'] ??= bearerAgentKey(headers);
    return super.canActivate(context);
  }
}
