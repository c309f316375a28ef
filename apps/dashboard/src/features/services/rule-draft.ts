import type { CreateRiskRuleRequest, RiskRule, RuleLimit, UpdateRiskRuleRequest } from '#contracts';
import type { RulePreset } from '#contracts/rule-presets';
import { CONDITION_MAX, RULE_NAME_MAX } from '#contracts/limits';
import {
  RULE_EFFECTS,
  type HttpMethod,
  type LimitThen,
  type LimitWindow,
  type RuleEffect,
  type RuleExceptions,
  type RuleMode,
} from '#contracts/states';
import { isComplete, toCel, type ConditionPart } from '../../lib/condition.js';
import { readCondition } from '../../lib/read-condition.js';

/** A rule in the editor. `ends` is minutes from now, never, or the rule's existing end. */
export interface RuleDraft {
  name: string;
  effect: RuleEffect;
  methods: HttpMethod[];
  pathPattern: string;
  /** The condition in CEL, if it is not shown as fields. */
  when: string;
  /** The condition as fields, of which the last may be incomplete. */
  parts: ConditionPart[] | null;
  agentIds: number[];
  approvals: number;
  approverIds: number[];
  /** Kept while a rule can't have exceptions, for when it can again. */
  exceptions: RuleExceptions;
  limitCount: string;
  /** What is summed, in CEL. Empty: requests are counted. */
  limitSum: string;
  limitPer: LimitWindow;
  limitThen: LimitThen;
  instruction: string;
  ends: 'never' | 'keep' | number;
  expiresAt: string | null;
  maxUses: string;
  isActive: boolean;
  mode: RuleMode;
}

export const EMPTY_RULE: RuleDraft = {
  name: '',
  effect: 'require_approval',
  methods: [],
  pathPattern: '',
  when: '',
  parts: [],
  agentIds: [],
  approvals: 1,
  approverIds: [],
  exceptions: 'temporary',
  limitCount: '100',
  limitSum: '',
  limitPer: 'hour',
  limitThen: 'deny',
  instruction: '',
  ends: 'never',
  expiresAt: null,
  maxUses: '',
  isActive: true,
  mode: 'enforce',
};

export const toRuleDraft = (rule: RiskRule): RuleDraft => ({
  ...rule,
  parts: readCondition(rule.when),
  limitCount: rule.limit === null ? EMPTY_RULE.limitCount : String(rule.limit.count),
  limitSum: rule.limit?.sum ?? '',
  limitPer: rule.limit?.per ?? EMPTY_RULE.limitPer,
  limitThen: rule.limit?.then ?? EMPTY_RULE.limitThen,
  ends: rule.expiresAt === null ? 'never' : 'keep',
  maxUses: rule.maxUses === null ? '' : String(rule.maxUses),
});

/** The rule of a preset that has one. */
export function presetDraft({ rules: [rule] }: RulePreset): RuleDraft {
  const when = 'when' in rule ? rule.when : '';
  return {
    ...EMPTY_RULE,
    name: rule.name,
    effect: rule.effect,
    methods: [...rule.methods],
    when,
    parts: readCondition(when),
  };
}

/** The condition in CEL, without the parts that are incomplete. */
export const conditionOf = ({ when, parts }: Pick<RuleDraft, 'when' | 'parts'>): string =>
  parts === null ? when.trim() : toCel(parts.filter(isComplete));

const asks = ({ effect }: RuleDraft): boolean => effect === 'require_approval';

/** Exceptions can lift only a rule that asks one person, whoever it is. */
export const mayHaveExceptions = ({
  effect,
  approvals,
  approverIds,
}: Pick<RuleDraft, 'effect' | 'approvals' | 'approverIds'>): boolean =>
  effect === 'require_approval' && approvals === 1 && approverIds.length === 0;

export const exceptionsOf = (draft: RuleDraft): RuleExceptions =>
  mayHaveExceptions(draft) ? draft.exceptions : 'none';

const limits = ({ effect }: Pick<RuleDraft, 'effect'>): boolean => effect === 'limit';

/** The limit of a draft, as a saved rule has it. */
export function draftLimit({ effect, limitCount, limitSum, limitPer, limitThen }: RuleDraft): RuleLimit | null {
  if (!limits({ effect })) return null;
  const sum = limitSum.trim();
  return { count: Number(limitCount), per: limitPer, then: limitThen, ...(sum && { sum }) };
}

export const hasSum = ({ limitSum }: Pick<RuleDraft, 'limitSum'>): boolean => limitSum.trim() !== '';

/** A count of requests is whole, a sum may have decimals. */
export const isLimitCount = (draft: RuleDraft): boolean =>
  hasSum(draft)
    ? /^\d{1,12}(?:\.\d{1,6})?$/.test(draft.limitCount) && Number(draft.limitCount) > 0
    : /^[1-9]\d{0,11}$/.test(draft.limitCount);

/** Guidance decides nothing, and a limit counts what was sent. */
export const mayObserve = ({ effect }: Pick<RuleDraft, 'effect'>): boolean =>
  effect !== 'guidance' && effect !== 'limit';

export function toRequest(draft: RuleDraft, suggestedName: string): CreateRiskRuleRequest {
  const { ends } = draft;
  return {
    name: (draft.name.trim() || suggestedName).slice(0, RULE_NAME_MAX),
    effect: draft.effect,
    methods: draft.methods,
    pathPattern: draft.pathPattern.trim(),
    when: conditionOf(draft),
    agentIds: draft.agentIds,
    // The gateway accepts them with this effect only.
    approvals: asks(draft) ? draft.approvals : 1,
    approverIds: asks(draft) ? draft.approverIds : [],
    exceptions: exceptionsOf(draft),
    limit: draftLimit(draft),
    instruction: draft.effect === 'guidance' ? draft.instruction.trim() : '',
    ...(typeof ends === 'number'
      ? { expiresInMinutes: ends }
      : { expiresAt: ends === 'keep' ? draft.expiresAt : null }),
    maxUses: draft.maxUses === '' || limits(draft) ? null : Number(draft.maxUses),
    isActive: draft.isActive,
    mode: mayObserve(draft) ? draft.mode : 'enforce',
  };
}

/** What the gateway takes for an exception. All else stays as it was made. */
export type ExceptionDraft = Pick<RuleDraft, 'name' | 'ends' | 'expiresAt' | 'maxUses'>;

export const toExceptionChange = ({ name, ends, maxUses }: ExceptionDraft, saved: RiskRule): UpdateRiskRuleRequest => ({
  name: name.trim() || saved.name,
  ...(typeof ends === 'number' && { expiresInMinutes: ends }),
  maxUses: maxUses === '' ? null : Number(maxUses),
});

/** Empty: there is no limit. */
export const isUseLimit = (maxUses: string): boolean => maxUses === '' || /^[1-9]\d{0,8}$/.test(maxUses);

/** Why a draft cannot be saved, or null if it can. */
export function ruleFault(
  draft: RuleDraft,
): 'path' | 'condition' | 'longCondition' | 'instruction' | 'limit' | 'total' | 'uses' | 'approvers' | null {
  const path = draft.pathPattern.trim();
  if (path !== '' && !path.startsWith('/') && !path.startsWith('*')) return 'path';
  if (draft.parts?.some((part) => !isComplete(part))) return 'condition';
  if (conditionOf(draft).length > CONDITION_MAX) return 'longCondition';
  if (draft.effect === 'guidance' && draft.instruction.trim() === '') return 'instruction';
  if (limits(draft)) return isLimitCount(draft) ? null : hasSum(draft) ? 'total' : 'limit';
  if (!isUseLimit(draft.maxUses)) return 'uses';
  const named = draft.approverIds.length;
  if (asks(draft) && named > 0 && named < draft.approvals) return 'approvers';
  return null;
}

/** Faults that change nothing of what a rule matches. */
const OF_SAVING: readonly ReturnType<typeof ruleFault>[] = [null, 'instruction', 'uses', 'approvers'];

/** Whether the gateway can tell what a draft with this fault matches. */
export const canMatch = (fault: ReturnType<typeof ruleFault>): boolean => OF_SAVING.includes(fault);

/** Whether an allow rule has no limit at all, like an `always allow` switch. */
export const isUnbounded = (draft: RuleDraft): boolean =>
  draft.effect === 'allow' &&
  draft.ends === 'never' &&
  draft.maxUses === '' &&
  draft.methods.length === 0 &&
  draft.pathPattern.trim() === '' &&
  conditionOf(draft) === '' &&
  draft.agentIds.length === 0;

type RuleState = 'active' | 'off' | 'over' | 'usedUp';

export function ruleState(rule: RiskRule, nowMs: number): RuleState {
  if (rule.expiresAt !== null && Date.parse(rule.expiresAt) <= nowMs) return 'over';
  if (rule.maxUses !== null && rule.uses >= rule.maxUses) return 'usedUp';
  return rule.isActive ? 'active' : 'off';
}

/** The rules in order of precedence, like in the gateway: within an effect, the oldest first. */
export const groupByForce = (rules: readonly RiskRule[]): { effect: RuleEffect; rules: RiskRule[] }[] =>
  RULE_EFFECTS.map((effect) => ({
    effect,
    rules: rules.filter((rule) => rule.effect === effect).sort((a, b) => a.id - b.id),
  })).filter((group) => group.rules.length > 0);
