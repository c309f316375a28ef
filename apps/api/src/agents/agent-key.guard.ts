import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { DataSource } from 'typeorm';
import { AgentEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { shownPrefix } from '../crypto/agent-keys.js';
import { BackgroundWork } from '../platform/background.js';
import { ApiError, errors } from '../platform/errors.js';
import { clientAddress } from '../platform/http/client-address.js';
import { receiveBody } from '../platform/http/request-body.js';
import { AgentDirectory, type AgentView } from './agent-directory.js';
import { AgentLoads, type AgentLoad } from './agent-load.js';
import { AnswerRoom } from './answer-room.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The agent that sent the request. The agent key guards set it. */
    agent: AgentView;
    /** The load that this agent puts on this process. Set together with `agent`. */
    agentLoad: AgentLoad;
    /** The memory for the answer. Set together with `agent`. */
    answerRoom: AnswerRoom;
  }
}

/** Injects the `AgentView` into handlers behind `AgentKeyGuard` or `FreshAgentKeyGuard`. */
export const CurrentAgent = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AgentView => context.switchToHttp().getRequest<Request>().agent,
);

/**
 * Authenticates the agent (docs/reference/agent-api.md#authentication), and reads the body only after that. The agent
 * view can come from the cache: the audit record of a forwarded request checks its version.
 */
@Injectable()
export class AgentKeyGuard implements CanActivate {
  constructor(
    protected readonly directory: AgentDirectory,
    private readonly audit: AuditLog,
    private readonly source: DataSource,
    private readonly background: BackgroundWork,
    private readonly loads: AgentLoads,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const authenticate = () => this.authenticate(request);
    await authenticate();
    this.directory.touch(request.agent);
    request.agentLoad = this.loads.enter(request.agent, request.res!);
    request.answerRoom = new AnswerRoom(request.agentLoad, request.res!);
    await receiveBody(request, request.agentLoad, authenticate, request.agentLoad.bodyMaxBytes);
    return true;
  }

  /** Sets `request.agent`. @throws ApiError 401, 403 */
  private async authenticate(request: Request): Promise<void> {
    const key = request.headers['agent-key'];
    if (typeof key !== 'string' || key === '') throw errors.missingAgentKey();
    try {
      request.agent = await this.find(key, clientAddress(request) ?? 'an unknown address');
    } catch (error) {
      if (error instanceof ApiError && [401, 403].includes(error.statusCode))
        this.onRefused(request, error, shownPrefix(key));
      throw error;
    }
  }

  protected find(key: string, from: string): Promise<AgentView> {
    return this.directory.byKey(key, from);
  }

  /**
   * Writes a record for the owner of the agent whose key has this prefix (docs/reference/audit.md#refusals). The
   * response does not wait for it.
   */
  private onRefused(request: Request, error: ApiError, prefix: string): void {
    const { requestId } = request;
    this.background.run('record of a refused agent key', async () => {
      const { manager } = this.source;
      const agent =
        (await manager.findOneBy(AgentEntity, { keyPrefix: prefix })) ??
        (await manager
          .createQueryBuilder(AgentEntity, 'a')
          .where('a.id = (SELECT agent_id FROM previous_agent_keys WHERE key_prefix = :prefix LIMIT 1)', { prefix })
          .getOne());
      if (!agent) return;
      const { message: reason, statusCode: status } = error;
      const record = this.audit.newRecord('refused', { agent, call: { requestId }, reason, status });
      await this.audit.write(record);
    });
  }
}

/** Always reads the agent from the database. For endpoints whose responses no versioned record protects. */
@Injectable()
export class FreshAgentKeyGuard extends AgentKeyGuard {
  protected override find(key: string, from: string): Promise<AgentView> {
    return this.directory.freshByKey(key, from);
  }
}
