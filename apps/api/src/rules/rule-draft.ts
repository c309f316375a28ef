import type { EntityManager } from 'typeorm';
import { UpdateRiskRuleRequest, type CreateRiskRuleRequest } from '#contracts';
import type { RiskRuleEntity } from '#database';
import { errors } from '../platform/errors.js';
import { collectFaults, isFaulty, validate } from '../platform/http/validation.js';
import { momentAhead } from '../platform/moment-ahead.js';
import type { ServiceRule } from '../service-view/service-view.js';
import { exceptionsFaults, keptFaults, mayHaveExceptions } from './exception-faults.js';
import {
  approvalFaults,
  expiryFaults,
  instructionFaults,
  limitFaults,
  modeFaults,
  wildcardFaults,
} from './risk-rule-faults.js';
import { toLimit } from './risk-rule-mapper.js';

/** The fields of a rule that requests can set. */
export type Draft = Pick<
  RiskRuleEntity,
  | 'name'
  | 'effect'
  | 'methods'
  | 'pathPattern'
  | 'when'
  | 'instruction'
  | 'agentIds'
  | 'approvals'
  | 'approverIds'
  | 'limit'
  | 'expiresAt'
  | 'maxUses'
  | 'isActive'
  | 'mode'
  | 'exceptions'
  | 'exceptionTo'
  | 'fromAction'
>;

export const EMPTY: Omit<Draft, 'name' | 'effect'> = {
  methods: [],
  pathPattern: '',
  when: '',
  instruction: '',
  agentIds: [],
  approvals: 1,
  approverIds: [],
  limit: null,
  expiresAt: null,
  maxUses: null,
  isActive: true,
  mode: 'enforce',
  exceptions: 'none',
  exceptionTo: [],
  fromAction: null,
};

/** An unsaved rule as the assessment of requests sees it. It does not end. */
export function toUnsavedRule(id: number, request: CreateRiskRuleRequest, createdAt: number): ServiceRule {
  const { name, effect } = request;
  const { isActive: _, mode: __, fromAction: ___, ...draft } = { ...EMPTY, name, effect, ...given(request) };
  return { ...draft, id, createdAt, expiresAt: null, maxUses: null };
}

/** The end of a rule that lasts for a time. */
export async function toExpiry(
  tx: EntityManager,
  { expiresInMinutes }: Pick<UpdateRiskRuleRequest, 'expiresInMinutes'>,
): Promise<Partial<Draft>> {
  return expiresInMinutes === undefined ? {} : { expiresAt: await momentAhead(tx, expiresInMinutes) };
}

type ExceptionFields = Pick<CreateRiskRuleRequest, 'exceptionTo' | 'fromAction'>;

/** The fields that the request sets, in their stored form. */
export function given(request: UpdateRiskRuleRequest & ExceptionFields): Partial<Draft> {
  const { name, effect, methods, pathPattern, when, instruction, approvals, expiresAt, maxUses, isActive } = request;
  const { agentIds, approverIds, limit, mode, exceptions, exceptionTo, fromAction } = request;
  const fields: Partial<Draft> = {
    name,
    effect,
    methods: methods && [...new Set(methods)],
    pathPattern,
    when: when?.trim(),
    instruction,
    agentIds: agentIds && [...new Set(agentIds)],
    approvals,
    approverIds: approverIds && [...new Set(approverIds)],
    limit: limit && toLimit(limit),
    expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt,
    maxUses,
    isActive,
    mode,
    exceptions,
    exceptionTo: exceptionTo && [...new Set(exceptionTo)],
    fromAction,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Validates a change. The faults that depend on the stored rule are reported together with the others. Repeating a
 * stored value is always allowed. @throws ApiError 400
 */
export function validateChange(before: Draft, body: object, nowMs: number): Partial<Draft> {
  let request: UpdateRiskRuleRequest = body;
  const faults = collectFaults(() => (request = validate(UpdateRiskRuleRequest, body)));
  const sound = Object.fromEntries(Object.entries(request).filter(([field]) => !isFaulty(faults, field)));
  const change = given(sound);
  const changed = { ...before, ...change };
  const { effect, instruction, pathPattern, expiresAt, mode } = changed;
  if (pathPattern !== before.pathPattern) faults.push(...wildcardFaults(pathPattern));
  if (!isFaulty(faults, 'instruction')) faults.push(...instructionFaults(effect, instruction));
  if (!isFaulty(faults, 'approvals') && !isFaulty(faults, 'approverIds')) faults.push(...approvalFaults(changed));
  if (!isFaulty(faults, 'limit') && !isFaulty(faults, 'maxUses')) faults.push(...limitFaults(changed));
  if (!isFaulty(faults, 'mode')) faults.push(...modeFaults(effect, mode));
  if (expiresAt !== null && expiresAt.getTime() !== before.expiresAt?.getTime()) {
    faults.push(...expiryFaults(expiresAt, nowMs));
  }
  faults.push(...keptFaults(before, change));
  if (!isFaulty(faults, 'exceptions')) faults.push(...exceptionsFaults({ ...changed, exceptions: change.exceptions }));
  if (faults.length > 0) throw errors.invalid(faults.join('; '));
  // A rule that no longer fits is a hard one.
  return before.exceptions === 'temporary' && !mayHaveExceptions(changed) ? { ...change, exceptions: 'none' } : change;
}
