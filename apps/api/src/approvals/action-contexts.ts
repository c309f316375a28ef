import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import {
  isAtLeast,
  type ActionContext,
  type AllowSimilar,
  type ExceptionCondition,
  type HoldingRule,
  type ImpossibleException,
  type MatchedOperation,
  type Novelty,
  type PossibleException,
  type SimilarAction,
  type UnlimitedValues,
} from '#contracts';
import {
  ActionEntity,
  AgentEntity,
  RiskRuleEntity,
  ServiceDocumentEntity,
  type DocumentedOperationEntity,
} from '#database';
import type { ActingMember } from '../membership/member.js';
import { injectedHeaderNames } from '../credentials/credential-rules.js';
import { OperationIndex } from '../documentation/operation-index.js';
import { plainText } from '../request-reading/plain-text.js';
import { calledTools } from '../request-reading/rpc-calls.js';
import { mayHaveExceptions } from '../rules/exception-faults.js';
import { RiskRuleRegistry } from '../rules/risk-rule-registry.js';
import { RequestPath } from '../request-reading/request-path.js';
import { serviceNeeds } from '../risk/service-needs.js';
import { covers, type RuleScope } from '../rules/rule-matching.js';
import { approverRuleMaxHours } from '../rules/rule-powers.js';
import { ServiceRegistry } from '../services/service-registry.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { statedOperation } from '../request-reading/stated-operation.js';
import { toResolver } from './action-mapper.js';
import { EarlierRequests } from './earlier-requests.js';
import { HeldBodies } from './held-bodies.js';
import { HeldRules } from './held-rules.js';
import { HeldScopes } from './held-scopes.js';
import { RequestAmounts } from './request-amounts.js';
import { SameThings } from './same-thing.js';
import { similarPaths, type SimilarPaths } from './similar-paths.js';
import { actionsWithoutBodies } from './stored-actions.js';

const SIMILAR_SHOWN = 5;
/** The number of latest decisions in which similar ones are searched. */
const SIMILAR_SEARCHED = 100;
/**
 * The approver learns how many of the latest requests "approve and allow similar" would have allowed. This many
 * requests are checked, because an approver still remembers them.
 */
const ALLOWED_COUNTED = 50;
/** A higher count tells an approver nothing more. */
const COUNT_MAX = 1000;

/**
 * Context that helps an approver to decide, besides the request itself: the gateway's records and the team's
 * documentation.
 */
@Injectable()
export class ActionContexts {
  constructor(
    private readonly source: DataSource,
    private readonly services: ServiceRegistry,
    private readonly operations: OperationIndex,
    private readonly rules: RiskRuleRegistry,
    private readonly bodies: HeldBodies,
    private readonly scopes: HeldScopes,
    private readonly heldRules: HeldRules,
    private readonly earlier: EarlierRequests,
    private readonly amounts: RequestAmounts,
    private readonly sameThings: SameThings,
  ) {}

  async of(reader: ActingMember, action: ActionEntity): Promise<ActionContext> {
    const service = action.serviceId === null ? null : await this.services.view(action.workspaceId, action.serviceId);
    const body = (await this.bodies.of(action))?.judged ?? null;
    const request = { ...action, body };
    const operation =
      service && (await this.operations.match(service, action.method, action.targetUrl, calledTools(request)));
    const paths = service && similarPaths(new URL(action.targetUrl), service.baseUrl, operation);
    const withheld = statedOperation(request)?.by ?? (paths === null ? 'ambiguous_path' : null);
    const pathPattern = paths?.wider ?? paths?.pattern ?? null;
    const rules = service === null ? [] : await this.heldRules.of(action, service, serviceNeeds(service));
    const [matched, novelty, similar, differences, amounts, sameThing, holdingRules, allowSimilar] = await Promise.all([
      this.matchedOperation(operation),
      this.novelty(action),
      this.similar(action, service, pathPattern),
      this.earlier.differences(action, service, pathPattern),
      this.amounts.of(action, operation?.excerpt ?? ''),
      service && this.sameThings.of(action, service, operation),
      this.holdingRules(action, rules),
      withheld === null ? this.allowSimilar(reader, action, service, paths, rules) : null,
    ]);
    const isThere = service !== null && action.agentId !== null;
    return {
      operation: matched,
      novelty,
      similar,
      differences,
      amounts,
      sameThing,
      holdingRules,
      allowSimilar,
      ...(isThere && withheld !== null && { allowSimilarWithheld: withheld }),
      injectedHeaders: service === null ? [] : injectedHeaderNames(service),
    };
  }

  /**
   * Those that asked for it, and those that refuse it now, with who made them. A rule that is younger than the request did
   * not ask for it: the approvals that it needs were counted when it was held.
   */
  private async holdingRules({ createdAt }: ActionEntity, matching: readonly ServiceRule[]): Promise<HoldingRule[]> {
    const asks = ({ effect, limit }: ServiceRule): boolean =>
      effect === 'require_approval' || (effect === 'limit' && limit?.then === 'require_approval');
    const holding = matching.filter(
      (rule) => rule.effect === 'deny' || (asks(rule) && rule.createdAt <= createdAt.getTime()),
    );
    if (holding.length === 0) return [];
    const rows = await this.source.manager.find(RiskRuleEntity, {
      where: { id: In(holding.map(({ id }) => id)) },
      select: { id: true, createdByName: true },
    });
    const makers = new Map(rows.map(({ id, createdByName }) => [id, createdByName]));
    return holding.map(({ id, name, effect }) => ({ id, name, effect, createdBy: makers.get(id) ?? null }));
  }

  private async matchedOperation(operation: DocumentedOperationEntity | null): Promise<MatchedOperation | null> {
    if (operation === null) return null;
    const { documentId, method, path, operationId, summary, description } = operation;
    const document = await this.source.manager.findOne(ServiceDocumentEntity, {
      where: { id: documentId },
      select: { id: true, title: true },
    });
    return {
      documentId,
      documentTitle: document?.title ?? '',
      method,
      path,
      operationId,
      summary: summary && plainText(summary),
      description,
    };
  }

  private async novelty({ agentId, serviceId, method, createdAt }: ActionEntity): Promise<Novelty> {
    const agent = agentId === null ? null : await this.source.manager.findOneBy(AgentEntity, { id: agentId });
    const count = async (sameMethod: string | null): Promise<number> => {
      const [row]: { count: string }[] = await this.source.query(
        `SELECT count(*) FROM (
           SELECT 1 FROM audit_records
           WHERE agent_id = $1 AND service_id = $2 AND outcome IN ('forwarded', 'executed') AND at < $3
             AND ($4::text IS NULL OR method = $4) LIMIT ${COUNT_MAX}) earlier`,
        [agentId, serviceId, createdAt, sameMethod],
      );
      return Number(row.count);
    };
    const [earlierRequests, earlierSameMethod] = await Promise.all([count(null), count(method)]);
    return { agentCreatedAt: agent?.createdAt.toISOString() ?? null, earlierRequests, earlierSameMethod };
  }

  /** The latest decisions about the same method and kind of path. */
  private async similar(
    action: ActionEntity,
    service: ServiceView | null,
    pathPattern: string | null,
  ): Promise<SimilarAction[]> {
    if (service === null || pathPattern === null) return [];
    const decided = await actionsWithoutBodies(this.source)
      .where('a.service_id = :serviceId AND a.method = :method AND a.id <> :id', {
        serviceId: service.id,
        method: action.method,
        id: action.id,
      })
      .andWhere('a.resolved_at IS NOT NULL')
      .orderBy('a.created_at', 'DESC')
      .limit(SIMILAR_SEARCHED)
      .getMany();
    const scope: RuleScope = { effect: 'guidance', methods: [], agentIds: [], pathPattern };
    return decided
      .filter((other) => covers(scope, { agentId: 0, methods: [], path: toRequestPath(other, service.baseUrl) }))
      .slice(0, SIMILAR_SHOWN)
      .map((other) => ({
        action_id: other.id,
        status: other.effectiveStatus,
        summary: other.summary,
        headline: other.headline ?? other.summary,
        intent: other.intent,
        created_at: other.createdAt.toISOString(),
        resolved_at: other.resolvedAt?.toISOString() ?? null,
        resolved_by: toResolver(other),
        resolution_note: other.resolutionNote,
      }));
  }

  /** The rule behind "approve and allow similar", and how many requests it would allow. */
  private async allowSimilar(
    { role, workspaceId }: ActingMember,
    action: ActionEntity,
    service: ServiceView | null,
    paths: SimilarPaths | null,
    matching: readonly ServiceRule[],
  ): Promise<AllowSimilar | null> {
    if (service === null || paths === null || action.agentId === null) return null;
    const scope = { methods: [action.method], pathPattern: paths.pattern, agentIds: [action.agentId] };
    const rule = { ...scope, name: 'allow similar', effect: 'allow' } as const;
    const { matched, of } = await this.rules.preview(action.workspaceId, service.id, rule, ALLOWED_COUNTED);
    const strong = matching.filter(({ effect }) => effect === 'deny' || effect === 'require_approval');
    const widerPathPattern = paths.wider;
    const limited = await this.scopes.ofAction(action, service);
    const values = typeof limited === 'string' ? null : limited.conditions;
    const noException = whyNone(strong, typeof limited === 'string' ? limited : null);
    return {
      ...scope,
      ...(widerPathPattern !== null && { widerPathPattern }),
      matched,
      of,
      overruledBy: strong.at(0)?.name ?? null,
      values: values && [...values],
      exception:
        strong.length === 0 || noException !== null || values === null
          ? null
          : await this.exception(action, strong, values),
      noException,
      maxHours: isAtLeast(role, 'admin') ? null : await approverRuleMaxHours(this.source.manager, workspaceId),
    };
  }

  private async exception(
    { workspaceId }: ActionEntity,
    strong: readonly ServiceRule[],
    values: readonly ExceptionCondition[],
  ): Promise<PossibleException> {
    return {
      exceptionTo: strong.map(({ id }) => id),
      rules: strong.map(({ name }) => name),
      conditions: [...values],
      maxHours: await approverRuleMaxHours(this.source.manager, workspaceId),
    };
  }
}

/**
 * Why no exception lifts these rules. Null: one does, or none is needed.
 * @param strong the rules that a plain `allow` does not lift
 * @param unlimited why the values of the request can't be limited. Null: they can
 */
function whyNone(strong: readonly ServiceRule[], unlimited: UnlimitedValues | null): ImpossibleException | null {
  const named = (why: ImpossibleException['why'], rules: readonly ServiceRule[]): ImpossibleException => ({
    why,
    because: why === 'values' ? unlimited : null,
    rules: rules.map(({ name }) => name),
  });
  const denying = strong.filter(({ effect }) => effect === 'deny');
  if (denying.length > 0) return named('denied', denying);
  const hard = strong.filter((rule) => rule.exceptions !== 'temporary' || !mayHaveExceptions(rule));
  if (hard.length > 0) return named('hard_rule', hard);
  return strong.length > 0 && unlimited !== null ? named('values', strong) : null;
}

const toRequestPath = ({ targetUrl }: ActionEntity, baseUrl: string): RequestPath =>
  new RequestPath(new URL(targetUrl), baseUrl);
