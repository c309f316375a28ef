import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { AGENT_KEY_PREFIX } from '#contracts';
import { AgentKeyGuard } from '../agents/agent-key.guard.js';

const BEARER_KEY = new RegExp(`^Bearer +(${AGENT_KEY_PREFIX}\\S*)$`, 'i');

/** The agent key, as on `POST /proxy`, or as a bearer token: all that many MCP clients let one set. */
@Injectable()
export class McpKeyGuard extends AgentKeyGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    const [, key] = BEARER_KEY.exec(headers.authorization ?? '') ?? [];
    if (key !== undefined) headers['agent-key'] ??= key;
    return super.canActivate(context);
  }
}
