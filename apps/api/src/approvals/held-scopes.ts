import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { UnlimitedValues } from '#contracts';
import { ActionEntity } from '#database';
import { OperationIndex } from '../documentation/operation-index.js';
import { errors } from '../platform/errors.js';
import { statedOperation } from '../request-reading/stated-operation.js';
import { fitsRule } from '../rules/exceptions.js';
import type { ExceptionScope, ExceptionScopes } from '../rules/exception-scopes.js';
import type { ServiceView } from '../service-view/service-view.js';
import { ServiceRegistry } from '../services/service-registry.js';
import { exceptionConditions } from './exception-conditions.js';
import { HeldBodies } from './held-bodies.js';
import { HeldRules } from './held-rules.js';
import { similarPaths } from './similar-paths.js';
import { isActionId } from './stored-actions.js';

/** What exceptions can be about, from the held requests that they are made from. */
@Injectable()
export class HeldScopes implements ExceptionScopes {
  constructor(
    private readonly source: DataSource,
    private readonly services: ServiceRegistry,
    private readonly operations: OperationIndex,
    private readonly bodies: HeldBodies,
    private readonly rules: HeldRules,
  ) {}

  async of(workspaceId: number, serviceId: number, actionId: string): Promise<ExceptionScope | null> {
    const action = isActionId(actionId)
      ? await this.source.manager.findOneBy(ActionEntity, { id: actionId, workspaceId, serviceId })
      : null;
    if (action === null) throw errors.actionNotFound();
    const service = await this.services.view(workspaceId, serviceId);
    const scope = await this.ofAction(action, service);
    // Whether it was a first time is left open: the request itself may have been sent meanwhile.
    if (typeof scope === 'string') return null;
    return { ...scope, ruleIds: (await this.rules.of(action, service)).map(({ id }) => id) };
  }

  /** @returns why there is none, if nothing limits an exception to this request */
  async ofAction(
    action: ActionEntity,
    service: ServiceView,
  ): Promise<Omit<ExceptionScope, 'ruleIds'> | UnlimitedValues> {
    const { agentId, method, targetUrl, headers } = action;
    const body = (await this.bodies.of(action))?.judged ?? null;
    // What the body asks for would be another operation.
    if (agentId === null || statedOperation({ ...action, body }) !== null) return 'operation';
    const operation = await this.operations.match(service, method, targetUrl);
    const paths = similarPaths(new URL(targetUrl), service.baseUrl, operation);
    const conditions = exceptionConditions({ targetUrl, headers, body });
    if (paths === null) return 'operation';
    if (typeof conditions === 'string') return conditions;
    if (!fitsRule(conditions)) return 'too_much';
    const { pattern, wider } = paths;
    const { baseUrl } = service;
    return { method, agentId, baseUrl, pathPatterns: wider === null ? [pattern] : [pattern, wider], conditions };
  }
}
