import type { Effect } from '#contracts/effects';
import type { MatchedRule, RequestEffect, RiskDecision } from '#contracts/risk';
import { errors, type ApiError } from '../platform/errors.js';
import { judgedMethod } from '../request-reading/request-methods.js';
import { approvalsNeeded } from '../rules/approvals-needed.js';
import type { ServiceRule } from '../service-view/service-view.js';
import { injectionsIn } from './injections.js';
import { LimitReached, limitExplanation } from './limits/limit-reached.js';
import type { LimitState, LimitToCount } from './limits/limit-to-count.js';
import { injectionNote } from './notes.js';
import type { RiskRequest, RiskVerdict } from './risk-verdict.js';
import { EXPLAINED } from './rule-names.js';
import { heuristicScore } from './score.js';

/** Verdicts that need no model: what a rule decides, and what the service asks about. */

/** What decides a request before the model. */
export interface Ruled {
  /** Null: the score decides. */
  decision: RiskDecision | null;
  found: Matched;
  /** What the request does and the service asks about. */
  asked: readonly RequestEffect[];
}

/** The rules that match a request. */
export interface Matched {
  /** The strongest first. */
  rules: readonly ServiceRule[];
  /** The ids of the rules whose condition could not be decided, matching or not. */
  undecided: readonly number[];
  /** Why, by id. */
  reasons: ReadonlyMap<number, string>;
  /** The limits among them, and what the request adds to each. */
  limits: readonly LimitToCount[];
}

export const byRule = (rule: ServiceRule, found: Matched, request: RiskRequest): RiskVerdict => ({
  ...withoutModel(found, request),
  rule: shown(rule),
  ...ruling(rule, request),
});

/** @param asked what the request does and the service asks about */
export const byEffects = (asked: readonly RequestEffect[], found: Matched, request: RiskRequest): RiskVerdict => ({
  ...withoutModel(found, request),
  source: 'effect',
  rule: null,
  decision: 'hold',
  explanation: marked(`Asks for ${listed(asked.map(({ effect }) => NAMES[effect]))}: ${reasons(asked)}`, request),
});

export const undecided = (found: Matched, request: RiskRequest): RiskVerdict => ({
  ...withoutModel(found, request),
  rule: null,
  decision: 'deny',
  explanation: errors.pathNotCompared().message,
});

function withoutModel(found: Matched, request: RiskRequest) {
  const heuristic = heuristicScore(judgedMethod(request));
  return {
    score: heuristic,
    llmScore: null,
    heuristicScore: heuristic,
    source: 'rule' as const,
    ...matched(found),
    prompt: null,
  };
}

/** Why a request whose verdict is `deny` is refused. */
export function toDenialError({ rule, reached }: RiskVerdict): ApiError {
  if (reached !== undefined) return new LimitReached(reached);
  return rule === null ? errors.pathNotCompared() : errors.deniedByRule(rule.name);
}

export const byLimit = (reached: LimitState, found: Matched, request: RiskRequest): RiskVerdict => ({
  ...withoutModel(found, request),
  ...rulingByLimit(reached, request),
});

/** @param byModel what the model said about the request */
export function rulingByLimit(
  reached: LimitState,
  request: RiskRequest,
  byModel = '',
): Pick<RiskVerdict, 'decision' | 'explanation' | 'source' | 'rule' | 'reached'> {
  const isDenied = reached.limit.then === 'deny';
  const found = { source: 'rule' as const, rule: { ...reached.rule, effect: 'limit' as const }, reached };
  if (isDenied) return { ...found, decision: 'deny', explanation: `Limit reached: ${reached.rule.name}` };
  const explanation = joined(limitExplanation(reached), byModel);
  return { ...found, decision: 'hold', explanation: marked(explanation, request) };
}

/** What a rule decides where it is the strongest. */
export function decisionOf({ effect }: ServiceRule): RiskDecision {
  switch (effect) {
    case 'deny':
      return 'deny';
    case 'allow':
      return 'forward';
    case 'require_approval':
    case 'limit': // has a ruling of its own
    case 'guidance': // never decides by itself; if it did, a human should decide
      return 'hold';
  }
}

function ruling(rule: ServiceRule, request: RiskRequest): Pick<RiskVerdict, 'decision' | 'explanation'> {
  const decision = decisionOf(rule);
  const explanation = EXPLAINED[decision](rule.name);
  // Only a held request is marked: nobody decides about others, unless an earlier denial holds one, and then the
  // explanation names that.
  return { decision, explanation: decision === 'hold' ? marked(explanation, request) : explanation };
}

/** Says first whether the request speaks to the model. */
const marked = (explanation: string, request: RiskRequest): string =>
  joined(injectionNote(injectionsIn(request)), explanation);

/** How people say the words. */
const NAMES: Record<Effect, string> = {
  delete: 'delete',
  bulk: 'bulk',
  money: 'money',
  permissions: 'permissions',
  credentials: 'credentials',
  publishing: 'publishing',
  personalData: 'personal data',
  code: 'code',
  unclear: 'unclear',
  read: 'read',
  write: 'write',
};

const listed = (words: readonly string[]): string =>
  words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`;

const reasons = (asked: readonly RequestEffect[]): string => [...new Set(asked.map(({ reason }) => reason))].join('; ');

export const decides = ({ effect }: ServiceRule): boolean => effect !== 'guidance';

export const guidance = (rules: readonly ServiceRule[]): string[] =>
  rules.filter(({ effect }) => effect === 'guidance').map(({ instruction }) => instruction);

export const matched = ({
  rules,
  undecided: ids,
  limits,
}: Matched): Pick<RiskVerdict, 'matchedRules' | 'undecided' | 'approvals' | 'limits'> => ({
  matchedRules: rules.map(shown),
  undecided: [...ids],
  limits,
  approvals: approvalsNeeded(rules),
});

export const shown = ({ id, name, effect }: ServiceRule): MatchedRule => ({ id, name, effect });

export const joined = (...sentences: string[]): string => sentences.filter((sentence) => sentence !== '').join(' ');
