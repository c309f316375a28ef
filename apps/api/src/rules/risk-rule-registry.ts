import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import {
  isAtLeast,
  RULES_PER_SERVICE_MAX,
  type CreateRiskRuleRequest,
  type RiskRule,
  type RulePreview,
} from '#contracts';
import { AuditRecordEntity, inTransaction, RiskRuleEntity, type ServiceEntity } from '#database';
import { parseUrl } from '#egress';
import { Confirmations } from '../auth/confirmations.js';
import { AuditLog } from '../audit/audit-log.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { requestMethods } from '../request-reading/request-methods.js';
import { findService, lockService } from '../service-view/stored-service.js';
import { RequestPath } from '../request-reading/request-path.js';
import { setAuthor } from './change-setting.js';
import { mayHaveExceptions } from './exception-faults.js';
import type { ExceptionScope } from './exception-scopes.js';
import { assertEndsInTime, Exceptions } from './exceptions.js';
import { toRiskRule } from './risk-rule-mapper.js';
import { covers } from './rule-matching.js';
import { EMPTY, given, toExpiry, validateChange, type Draft } from './rule-draft.js';
import { assertAllowsForATime, assertMayApprove, assertOwnAgents } from './rule-powers.js';
import { findRule } from './stored-rule.js';

/** Manages the risk rules of services. */
@Injectable()
export class RiskRuleRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
    private readonly exceptions: Exceptions,
  ) {}

  async list(workspaceId: number, serviceId: number): Promise<RiskRule[]> {
    await findService(this.source.manager, workspaceId, serviceId);
    const rules = await this.source.manager.find(RiskRuleEntity, { where: { serviceId }, order: { id: 'ASC' } });
    return rules.map(toRiskRule);
  }

  /**
   * Approvers may only allow requests for a time (docs/reference/workspaces.md#approver-rules).
   * @throws ApiError 403
   */
  async create(author: ChangeAuthor, serviceId: number, request: CreateRiskRuleRequest): Promise<RiskRule> {
    const scope = await this.exceptions.scopeOf(author.actor.workspaceId, serviceId, request);
    return inTransaction(this.source, (tx) => this.createIn(tx, author, serviceId, request, scope));
  }

  /** Does the same in the caller's transaction. @param scope what an exception can be about */
  async createIn(
    tx: EntityManager,
    author: ChangeAuthor,
    serviceId: number,
    request: CreateRiskRuleRequest,
    scope: ExceptionScope | null = null,
  ): Promise<RiskRule> {
    const { name, effect } = request;
    const wanted: Draft = { ...EMPTY, name, effect, ...given(request), ...(await toExpiry(tx, request)) };
    if (request.exceptions === undefined && mayHaveExceptions(wanted)) wanted.exceptions = 'temporary';
    const service = await lockService(tx, author.actor.workspaceId, serviceId);
    const draft = await this.exceptions.limited(tx, service, wanted, scope);
    const isAdmin = isAtLeast(author.actor.role, 'admin');
    if (!isAdmin) await assertAllowsForATime(tx, author.actor, draft);
    // A rule that holds requests can weaken protection too. The model does not assess these requests, so their score
    // can be so low that their approval needs no confirmation.
    if (draft.effect !== 'deny') await this.confirmations.assertMayWeaken(tx, author.actor);
    const count = await tx.countBy(RiskRuleEntity, { serviceId });
    if (count >= RULES_PER_SERVICE_MAX) {
      throw errors.invalid(`A service has at most ${RULES_PER_SERVICE_MAX} risk rules`);
    }
    await assertOwnAgents(tx, author.actor.workspaceId, draft.agentIds);
    await assertMayApprove(tx, author.actor.workspaceId, draft.approverIds);
    await setAuthor(tx, author.actor);
    const now = this.clock.now();
    const { identifiers } = await tx.insert(RiskRuleEntity, {
      ...draft,
      serviceId,
      uses: 0,
      createdBy: author.actor.id,
      createdByName: author.actor.name,
      // Uses the database's clock, as denials do, because their order decides whether an "allow" rule lifts a denial.
      createdAt: () => `date_trunc('milliseconds', now())`,
      updatedAt: now,
    });
    const rule = await findRule(tx, serviceId, (identifiers[0] as { id: number }).id);
    await this.record(tx, author, 'risk_rule.created', service, rule);
    return toRiskRule(rule);
  }

  /** @param body an unvalidated `UpdateRiskRuleRequest` */
  update(author: ChangeAuthor, serviceId: number, ruleId: number, body: object): Promise<RiskRule> {
    return inTransaction(this.source, (tx) => this.updateIn(tx, author, serviceId, ruleId, body));
  }

  /** Does the same in the caller's transaction. @param details of the change, for its record */
  async updateIn(
    tx: EntityManager,
    author: ChangeAuthor,
    serviceId: number,
    ruleId: number,
    body: object,
    details: Record<string, unknown> = {},
  ): Promise<RiskRule> {
    const service = await lockService(tx, author.actor.workspaceId, serviceId);
    const before = await findRule(tx, serviceId, ruleId);
    // Validated by the first part.
    const change = { ...validateChange(before, body, this.clock.nowMs()), ...(await toExpiry(tx, body)) };
    if (before.exceptionTo.length > 0 && change.expiresAt !== undefined) {
      await assertEndsInTime(tx, author.actor.workspaceId, change.expiresAt);
    }
    // Agents that the rule already names may have been deleted since, so only added ones are checked.
    const added = (change.agentIds ?? []).filter((id) => !before.agentIds.includes(id));
    await assertOwnAgents(tx, author.actor.workspaceId, added);
    const onlyStops = before.effect === 'allow' && isDeepStrictEqual(change, { isActive: false });
    if (!onlyStops) await this.confirmations.assertMayWeaken(tx, author.actor);
    const addedPeople = (change.approverIds ?? []).filter((id) => !before.approverIds.includes(id));
    await assertMayApprove(tx, author.actor.workspaceId, addedPeople);
    await setAuthor(tx, author.actor);
    await tx.update(RiskRuleEntity, { id: ruleId }, { ...change, updatedAt: this.clock.now() });
    const rule = await findRule(tx, serviceId, ruleId);
    await this.record(tx, author, 'risk_rule.updated', service, rule, details);
    return toRiskRule(rule);
  }

  delete(author: ChangeAuthor, serviceId: number, ruleId: number): Promise<void> {
    return inTransaction(this.source, (tx) => this.deleteIn(tx, author, serviceId, ruleId));
  }

  /** Does the same in the caller's transaction. */
  async deleteIn(tx: EntityManager, author: ChangeAuthor, serviceId: number, ruleId: number): Promise<void> {
    const service = await lockService(tx, author.actor.workspaceId, serviceId);
    const rule = await findRule(tx, serviceId, ruleId);
    if (rule.effect !== 'allow') await this.confirmations.assertMayWeaken(tx, author.actor);
    await tx.delete(RiskRuleEntity, { id: ruleId });
    await this.record(tx, author, 'risk_rule.deleted', service, rule);
  }

  /**
   * Counts how many of the service's latest assessed requests an unsaved rule without a condition matches. With one, only a
   * backtest knows the facts of requests.
   */
  async preview(
    workspaceId: number,
    serviceId: number,
    request: CreateRiskRuleRequest,
    latest: number,
  ): Promise<Pick<RulePreview, 'matched' | 'of'>> {
    const service = await findService(this.source.manager, workspaceId, serviceId);
    const draft: Draft = { ...EMPTY, name: request.name, effect: request.effect, ...given(request) };
    const requests = await this.source.manager.find(AuditRecordEntity, {
      select: { id: true, agentId: true, method: true, url: true },
      where: {
        serviceId,
        kind: 'request',
        outcome: Not('previewed'),
        riskSource: Not(IsNull()),
        method: Not(IsNull()),
        url: Not(IsNull()),
      },
      order: { id: 'DESC' },
      take: latest,
    });
    const matched = requests.filter(({ agentId, method, url }) => {
      const target = url === null ? null : parseUrl(url);
      if (method === null || target === null) return false;
      return covers(draft, {
        agentId: agentId ?? 0,
        // Bodies are not stored, so only the query can name another method.
        methods: requestMethods({ method, targetUrl: url!, headers: {}, body: null }),
        path: new RequestPath(target, service.baseUrl),
      });
    });
    return { matched: matched.length, of: requests.length };
  }

  /** Counts one use of a rule with `maxUses`. @returns false if no use is left or the rule no longer applies */
  async consumeUse(ruleId: number): Promise<boolean> {
    const { affected } = await this.source.manager
      .createQueryBuilder()
      .update(RiskRuleEntity)
      .set({ uses: () => 'uses + 1' })
      .where('id = :ruleId AND is_active AND uses < max_uses AND (expires_at IS NULL OR expires_at > :now)', {
        ruleId,
        now: this.clock.now(),
      })
      .execute();
    return affected === 1;
  }

  /** Whether `consumeUse` would succeed. */
  hasUse(ruleId: number): Promise<boolean> {
    return this.source.manager
      .createQueryBuilder(RiskRuleEntity, 'r')
      .where(
        'r.id = :ruleId AND r.is_active AND r.uses < r.max_uses AND (r.expires_at IS NULL OR r.expires_at > :now)',
        {
          ruleId,
          now: this.clock.now(),
        },
      )
      .getExists();
  }

  private record(
    tx: EntityManager,
    author: ChangeAuthor,
    reason: string,
    service: ServiceEntity,
    rule: RiskRuleEntity,
    more: Record<string, unknown> = {},
  ) {
    const { id, name, effect, methods, pathPattern, when, instruction, expiresAt, maxUses, isActive } = rule;
    const { agentIds, approvals, approverIds, limit, mode, exceptions } = rule;
    const whom = { agentIds, approvals, approverIds };
    const scope = { methods, pathPattern, when, instruction, ...whom, limit, mode, exceptions };
    const { exceptionTo, fromAction } = rule;
    const exception = exceptionTo.length === 0 ? {} : { exceptionTo, fromAction };
    return this.audit.recordChange(tx, {
      ...author,
      reason,
      service: { id: service.id, name: service.name },
      details: { rule: { id, name, effect, ...scope, ...exception, expiresAt, maxUses, isActive }, ...more },
    });
  }
}
