import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { CONDITION_MAX, type CreateRiskRuleRequest, type ExceptionCondition } from '#contracts';
import { RiskRuleEntity, type ServiceEntity } from '#database';
import { errors } from '../platform/errors.js';
import { mayHaveExceptions } from './exception-faults.js';
import { ExceptionScopes, type ExceptionScope } from './exception-scopes.js';
import type { Draft } from './rule-draft.js';
import { approverRuleMaxHours } from './rule-powers.js';

const AND = ' && ';
const UNLIMITED = 'fromAction: no exception can be made from this request';

/** Rules that lift other rules for a time (docs/reference/rules.md#exceptions). */
@Injectable()
export class Exceptions {
  constructor(private readonly scopes: ExceptionScopes) {}

  /**
   * What a new exception can be about. Read before the transaction that makes it: a held request does not change.
   * @returns null if the rule is no exception
   * @throws ApiError 400, 404
   */
  async scopeOf(
    workspaceId: number,
    serviceId: number,
    { exceptionTo = [], fromAction }: CreateRiskRuleRequest,
  ): Promise<ExceptionScope | null> {
    if (exceptionTo.length === 0 || fromAction === undefined) return null;
    const scope = await this.scopes.of(workspaceId, serviceId, fromAction);
    if (scope === null) throw errors.invalid(UNLIMITED);
    return scope;
  }

  /**
   * Checks a new exception, and limits it to its request where the person did not.
   * @returns the draft; a rule that is none, unchanged
   * @throws ApiError 400, 404
   */
  async limited(
    tx: EntityManager,
    { id: serviceId, workspaceId, baseUrl }: ServiceEntity,
    draft: Draft,
    scope: ExceptionScope | null,
  ): Promise<Draft> {
    if (draft.exceptionTo.length === 0) return draft;
    // Below another base URL, the pattern means another path.
    if (scope === null || scope.baseUrl !== baseUrl) throw errors.invalid(UNLIMITED);
    await assertPermitted(tx, serviceId, draft.exceptionTo, scope.ruleIds);
    await assertEndsInTime(tx, workspaceId, draft.expiresAt);
    return limit(draft, scope);
  }
}

function limit(draft: Draft, { method, agentId, pathPatterns, conditions }: ExceptionScope): Draft {
  const { methods, agentIds, pathPattern, when } = draft;
  const faults = [
    ...(methods.some((each) => each !== method) ? [`methods: an exception is for ${method}, as its request`] : []),
    ...(agentIds.some((id) => id !== agentId) ? ['agentIds: an exception is for the agent of its request'] : []),
    ...(pathPattern === '' || pathPatterns.includes(pathPattern)
      ? []
      : [`pathPattern: must be one of ${pathPatterns.join(', ')}`]),
    ...(when === '' || isLimited(when, conditions)
      ? []
      : [`when: must have these, joined with &&: ${texts(conditions.filter(({ mayVary }) => !mayVary))}`]),
  ];
  if (faults.length > 0) throw errors.invalid(faults.join('; '));
  return {
    ...draft,
    methods: [method],
    agentIds: [agentId],
    pathPattern: pathPattern === '' ? pathPatterns[0] : pathPattern,
    when: when === '' ? texts(conditions) : when,
  };
}

const texts = (conditions: readonly ExceptionCondition[]): string => conditions.map(({ text }) => text).join(AND);

/** Whether the condition is exactly these, in their order, perhaps without some that may vary. */
export function isLimited(when: string, conditions: readonly ExceptionCondition[]): boolean {
  let rest: string | null = when;
  for (const { text, mayVary } of conditions) {
    if (rest !== null && (rest === text || rest.startsWith(text + AND))) {
      rest = rest === text ? null : rest.slice(text.length + AND.length);
    } else if (!mayVary) return false;
  }
  return rest === null;
}

/** Conditions that a rule has no room for can't limit it. */
export const fitsRule = (conditions: readonly ExceptionCondition[]): boolean =>
  conditions.length > 0 && texts(conditions).length <= CONDITION_MAX;

/** Whoever makes it: a person who may change rules can change the rule that asks. @throws ApiError 400 */
export async function assertEndsInTime(tx: EntityManager, workspaceId: number, expiresAt: Date | null): Promise<void> {
  const hours = await approverRuleMaxHours(tx, workspaceId);
  const [{ inTime }]: { inTime: boolean | null }[] = await tx.query(
    'SELECT $1::timestamptz <= clock_timestamp() + make_interval(hours => $2) AS "inTime"',
    [expiresAt, hours],
  );
  if (inTime !== true) throw errors.invalid(`expiresAt: an exception lasts at most ${hours} hours`);
}

/** @throws ApiError 400, 404 */
async function assertPermitted(
  tx: EntityManager,
  serviceId: number,
  ids: readonly number[],
  matching: readonly number[],
): Promise<void> {
  const rules = await tx.findBy(RiskRuleEntity, { id: In([...ids]), serviceId });
  if (rules.length < ids.length) throw errors.ruleNotFound();
  const hard = rules.filter((rule) => rule.exceptions !== 'temporary' || !mayHaveExceptions(rule));
  if (hard.length > 0) throw errors.invalid(`exceptionTo: nothing can lift ${names(hard)}`);
  const others = rules.filter(({ id }) => !matching.includes(id));
  if (others.length > 0) throw errors.invalid(`exceptionTo: the request of fromAction does not match ${names(others)}`);
}

const names = (rules: readonly RiskRuleEntity[]): string => rules.map(({ name }) => `"${name}"`).join(', ');
