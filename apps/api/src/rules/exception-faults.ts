import { isDeepStrictEqual } from 'node:util';
import { CreateRiskRuleRequest, type RuleEffect, type RuleExceptions } from '#contracts';
import { alsoCheck } from '../platform/http/validation.js';
import type { ServiceRule } from '../service-view/service-view.js';

/** Validation of exceptions, and of rules that permit them, that DTOs can't express. */

type Asking = Pick<ServiceRule, 'effect' | 'approvals' | 'approverIds'>;

/** Exceptions can lift only a rule that asks one person, whoever it is. */
export const mayHaveExceptions = ({ effect, approvals, approverIds }: Asking): boolean =>
  effect === 'require_approval' && approvals === 1 && approverIds.length === 0;

export const exceptionsFaults = ({ exceptions, ...rule }: Asking & { exceptions?: RuleExceptions }): string[] =>
  exceptions === 'temporary' && !mayHaveExceptions(rule)
    ? ['exceptions: only a rule that asks for one approval of anyone can have exceptions']
    : [];

alsoCheck(CreateRiskRuleRequest, 'effect', (effect, { exceptions, approvals = 1, approverIds = [] }) =>
  Array.isArray(approverIds) ? exceptionsFaults({ effect, exceptions, approvals, approverIds }) : [],
);

alsoCheck(CreateRiskRuleRequest, 'exceptionTo', (exceptionTo, { effect, fromAction }) =>
  Array.isArray(exceptionTo) && exceptionTo.length > 0 ? exceptionFaults(effect, fromAction) : [],
);

alsoCheck(CreateRiskRuleRequest, 'fromAction', (_action, { exceptionTo = [] }) =>
  Array.isArray(exceptionTo) && exceptionTo.length === 0
    ? ['fromAction: only an exception is made from an action: give exceptionTo']
    : [],
);

const exceptionFaults = (effect: RuleEffect, fromAction: unknown): string[] => [
  ...(effect === 'allow' ? [] : ['exceptionTo: only a rule with the effect allow can be an exception']),
  ...(fromAction === undefined ? ['fromAction: is required for an exception'] : []),
];

/** An exception can be renamed and ended, and its end moved. Its limits are those of its request. */
const CHANGEABLE = ['name', 'isActive', 'expiresAt', 'maxUses'];

export function keptFaults<T extends { exceptionTo: number[] }>(before: T, change: Partial<T>): string[] {
  if (before.exceptionTo.length === 0) return [];
  return (Object.keys(change) as (keyof T & string)[])
    .filter((field) => !CHANGEABLE.includes(field) && !isDeepStrictEqual(change[field], before[field]))
    .map((field) => `${field}: an exception stays as it was made`);
}
