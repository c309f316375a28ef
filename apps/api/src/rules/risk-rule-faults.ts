import { CONDITION_MAX, LIMIT_SUM_MIN, PATH_PATTERN_WILDCARDS_MAX } from '#contracts/limits';
import { CreateRiskRuleRequest, RiskRuleScope, RuleLimit, UpdateRiskRuleRequest } from '#contracts/risk-rules';
import type { RuleEffect, RuleMode } from '#contracts/states';
import { compileCondition, compileSum } from '../conditions/condition.js';
import { Clock } from '../platform/clock.js';
import { alsoCheck } from '../platform/http/validation.js';
import { wildcardsIn } from '../request-reading/path-glob.js';

type Limited = { effect: RuleEffect; limit: RuleLimit | null; maxUses: number | null };
type Approvals = { effect: RuleEffect; approvals: number; approverIds: number[] };

/**
 * Validation of risk rules that their DTOs can't express. Faults that don't depend on the stored rule are reported with
 * the DTOs'.
 */

// Registered on the class that declares the field: validation rules of a derived class would replace the field's own.
alsoCheck(RiskRuleScope, 'pathPattern', (pathPattern, dto) => {
  if (typeof pathPattern !== 'string') return [];
  // A stored pattern from before this limit stays valid until it is edited.
  return [...spellingFaults(pathPattern), ...(isNew(dto) ? wildcardFaults(pathPattern) : [])];
});

alsoCheck(RiskRuleScope, 'when', (when) => (typeof when === 'string' ? expressionFaults(when, compileCondition) : []));

alsoCheck(RuleLimit, 'sum', (sum) => (typeof sum === 'string' ? expressionFaults(sum, compileSum) : []));

alsoCheck(RuleLimit, 'count', (count, { sum }) => (typeof count === 'number' ? countFaults(count, sum) : []));

alsoCheck(RiskRuleScope, 'expiresAt', (expiresAt, dto) =>
  isNew(dto) && typeof expiresAt === 'string' ? expiryFaults(new Date(expiresAt), new Clock().nowMs()) : [],
);

alsoCheck(RiskRuleScope, 'expiresInMinutes', (minutes, { expiresAt }) =>
  minutes !== undefined && expiresAt !== undefined ? ['expiresInMinutes: give either this or expiresAt'] : [],
);

// Registered on the effect, because the instruction may be missing.
alsoCheck(CreateRiskRuleRequest, 'effect', (effect, { instruction = '' }) =>
  typeof instruction === 'string' ? instructionFaults(effect, instruction) : [],
);
alsoCheck(UpdateRiskRuleRequest, 'effect', (effect, { instruction }) =>
  typeof instruction === 'string' ? instructionFaults(effect, instruction) : [],
);

alsoCheck(CreateRiskRuleRequest, 'effect', (effect, { approvals = 1, approverIds = [] }) =>
  Number.isInteger(approvals) && Array.isArray(approverIds) ? approvalFaults({ effect, approvals, approverIds }) : [],
);

// Registered on the effect, because the limit may be missing. A limit that is no object has its own fault.
alsoCheck(CreateRiskRuleRequest, 'effect', (effect, { limit = null, maxUses = null }) =>
  typeof limit === 'object' ? limitFaults({ effect, limit, maxUses }) : [],
);
alsoCheck(CreateRiskRuleRequest, 'effect', (effect, { mode = 'enforce' }) => modeFaults(effect, mode));

const isNew = (dto: RiskRuleScope): boolean => dto instanceof CreateRiskRuleRequest;

function spellingFaults(pathPattern: string): string[] {
  const faults: string[] = [];
  if (pathPattern !== '' && pathPattern !== '**' && !pathPattern.startsWith('/')) {
    faults.push('pathPattern: must start with / and describe the path below the base URL');
  }
  if (/[?#{}]/.test(pathPattern)) {
    faults.push('pathPattern: must not contain ?, #, { or }; use * for a variable segment');
  }
  return faults;
}

export function wildcardFaults(pathPattern: string): string[] {
  const count = wildcardsIn(pathPattern);
  if (count <= PATH_PATTERN_WILDCARDS_MAX) return [];
  return [`pathPattern: must have at most ${PATH_PATTERN_WILDCARDS_MAX} wildcards (* or **); this one has ${count}`];
}

export const instructionFaults = (effect: RuleEffect, instruction: string): string[] =>
  effect === 'guidance' && instruction.trim() === '' ? ['instruction: is required for the effect guidance'] : [];

/** Empty: there is no expression. */
function expressionFaults(given: string, compile: typeof compileCondition | typeof compileSum): string[] {
  const text = given.trim();
  if (text === '' || text.length > CONDITION_MAX) return [];
  const compiled = compile(text);
  return compiled.ok ? [] : [compiled.fault];
}

function countFaults(count: number, sum: unknown): string[] {
  // What is no text has a fault of its own.
  const hasSum = typeof sum === 'string' ? sum.trim() !== '' : sum !== undefined;
  if (hasSum) return count < LIMIT_SUM_MIN ? [`limit.count: must not be less than ${LIMIT_SUM_MIN}`] : [];
  if (count < 1) return ['limit.count: must not be less than 1'];
  return Number.isInteger(count) ? [] : ['limit.count: must be a whole number of requests'];
}

/** Guidance decides nothing, and a limit that decides nothing would count nothing. */
export const modeFaults = (effect: RuleEffect, mode: RuleMode): string[] =>
  mode === 'observe' && (effect === 'guidance' || effect === 'limit')
    ? [`mode: a rule with the effect ${effect} can not be observed`]
    : [];

/** Only rules that hold requests can name approvers. */
export function approvalFaults({ effect, approvals, approverIds }: Approvals): string[] {
  if (effect !== 'require_approval') {
    return [
      ...(approvals > 1 ? ['approvals: only a rule with the effect require_approval asks several people'] : []),
      ...(approverIds.length > 0 ? ['approverIds: only a rule with the effect require_approval names people'] : []),
    ];
  }
  const named = new Set(approverIds).size;
  if (named === 0 || named >= approvals) return [];
  return [`approverIds: must name at least ${approvals} people, because that many must approve; this names ${named}`];
}

export function limitFaults({ effect, limit, maxUses }: Limited): string[] {
  if (effect !== 'limit') {
    return limit === null ? [] : ['limit: only a rule with the effect limit has one'];
  }
  if (limit === null) return ['limit: is required for the effect limit'];
  return maxUses === null ? [] : ['maxUses: a rule with the effect limit does not end after a number of decisions'];
}

export const expiryFaults = (expiresAt: Date, nowMs: number): string[] =>
  // `!(… > …)` also refuses a date that JavaScript can't represent.
  expiresAt.getTime() > nowMs ? [] : ['expiresAt: must be a date and time in the future'];
