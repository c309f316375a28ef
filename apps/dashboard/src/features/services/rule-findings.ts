import type { RiskRule, RuleMatch } from '#contracts';
import { HTTP_METHODS, RULE_EFFECTS } from '#contracts/states';
import { coversPaths, sharePaths } from './path-patterns.js';
import { conditionOf, exceptionsOf, ruleState, type RuleDraft } from './rule-draft.js';

/** What is odd about a rule beside the other rules of its service. Pure functions. They claim only what is certain. */

/** What decides whether and when a rule decides. */
export type ComparedRule = Pick<
  RiskRule,
  | 'id'
  | 'effect'
  | 'methods'
  | 'pathPattern'
  | 'when'
  | 'agentIds'
  | 'approvals'
  | 'approverIds'
  | 'expiresAt'
  | 'maxUses'
  | 'mode'
  | 'exceptions'
  | 'exceptionTo'
>;

/** A rule in the editor, which need not be complete. A new one comes after the others of its effect. */
export function comparedDraft(draft: RuleDraft, saved: RiskRule | null, nowMs: number): ComparedRule {
  const { effect, ends, expiresAt, methods, agentIds, approvals, approverIds, mode } = draft;
  return {
    ...{ effect, methods, agentIds, approvals, approverIds, mode },
    id: saved?.id ?? Infinity,
    pathPattern: draft.pathPattern.trim(),
    when: conditionOf(draft),
    expiresAt:
      typeof ends === 'number' ? new Date(nowMs + ends * 60_000).toISOString() : ends === 'keep' ? expiresAt : null,
    maxUses: draft.maxUses === '' ? null : Number(draft.maxUses),
    exceptions: exceptionsOf(draft),
    exceptionTo: saved?.exceptionTo ?? [],
  };
}

export interface RuleFindings {
  /** A stronger rule that matches whenever this one does, so that this one never decides. */
  hiddenBy?: RiskRule;
  /** A rule that says the opposite about the same requests. The stronger of the two decides. */
  opposite?: RiskRule;
  /** It matched nothing for so long. `lastMatchedAt` null: since the gateway remembers. */
  unmatched?: Pick<RuleMatch, 'lastMatchedAt'>;
}

export const UNMATCHED_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What is odd about each rule. Rules of which nothing is odd are left out. */
export function findingsOf(
  rules: readonly RiskRule[],
  matches: readonly RuleMatch[],
  nowMs: number,
): Map<number, RuleFindings> {
  const found = new Map<number, RuleFindings>();
  for (const rule of rules) {
    if (ruleState(rule, nowMs) !== 'active') continue;
    const match = matches.find(({ ruleId }) => ruleId === rule.id);
    const isUnmatched = match !== undefined && isQuiet(rule, match, nowMs);
    const findings = { ...comparedWith(rule, rules, nowMs), ...(isUnmatched && { unmatched: match }) };
    if (Object.keys(findings).length > 0) found.set(rule.id, findings);
  }
  return found;
}

/** A changed rule has not had its time yet. */
function isQuiet({ updatedAt }: RiskRule, { since, lastMatchedAt }: RuleMatch, nowMs: number): boolean {
  return [since, updatedAt, lastMatchedAt].every(
    (at) => at === null || nowMs - Date.parse(at) > UNMATCHED_DAYS * DAY_MS,
  );
}

/** What the other rules of a service make of a rule, which need not be saved. */
export function comparedWith(rule: ComparedRule, rules: readonly RiskRule[], nowMs: number): RuleFindings {
  if (rule.mode === 'observe') return {};
  const others = inForce(rules, rule, nowMs);
  const opposite = others.find((other) => isOpposite(rule, other));
  // The opposite says more than that the rule is hidden.
  const hiddenBy = others.find((other) => other !== opposite && hides(other, rule));
  return { ...(hiddenBy && { hiddenBy }), ...(opposite && { opposite }) };
}

/** The rules that may decide in place of a rule, the strongest first: those about some of the same requests. */
export const strongerThan = (rule: ComparedRule, rules: readonly RiskRule[], nowMs: number): RiskRule[] =>
  inForce(rules, rule, nowMs).filter((other) => byForce(other, rule) < 0 && sharesPlace(other, rule));

export interface AskedTogether {
  /** The other rule. */
  rule: RiskRule;
  /** How many people must approve a request that both match. */
  needed: number;
  /** Which of the two asks for more people. Null: both ask for as many. */
  more: 'this' | 'other' | null;
  /** Whether each names people, so that only those whom both name may approve. */
  bothName: boolean;
}

/**
 * What a rule that asks and the strictest other one about some of the same requests ask for together. Null: there is no
 * other, or it changes nothing.
 */
export function askedTogether(rule: ComparedRule, rules: readonly RiskRule[], nowMs: number): AskedTogether | null {
  if (rule.effect !== 'require_approval') return null;
  const asking = inForce(rules, rule, nowMs).filter(
    (other) => other.effect === 'require_approval' && sharesPlace(other, rule),
  );
  const [strictest] = asking.sort((one, other) => other.approvals - one.approvals);
  if (strictest === undefined) return null;
  const difference = Math.sign(strictest.approvals - rule.approvals);
  const bothName = rule.approverIds.length > 0 && strictest.approverIds.length > 0;
  if (difference === 0 && !bothName) return null;
  return {
    rule: strictest,
    needed: Math.max(strictest.approvals, rule.approvals),
    more: difference === 0 ? null : difference > 0 ? 'other' : 'this',
    bothName,
  };
}

const inForce = (rules: readonly RiskRule[], rule: ComparedRule, nowMs: number): RiskRule[] =>
  rules
    .filter((other) => other.id !== rule.id && other.mode === 'enforce' && ruleState(other, nowMs) === 'active')
    .sort(byForce);

const sharesPlace = (one: ComparedRule, other: ComparedRule): boolean =>
  shareAny(one.methods, other.methods) &&
  shareAny(one.agentIds, other.agentIds) &&
  sharePaths(one.pathPattern, other.pathPattern);

/** An empty list stands for all. */
const shareAny = <Item>(one: readonly Item[], other: readonly Item[]): boolean =>
  one.length === 0 || other.length === 0 || one.some((item) => other.includes(item));

/** The strongest first, as in the gateway: of one effect, the oldest. */
export const byForce = (one: ComparedRule, other: ComparedRule): number =>
  RULE_EFFECTS.indexOf(one.effect) - RULE_EFFECTS.indexOf(other.effect) || one.id - other.id;

/** Whether a rule always decides in place of a weaker one. */
function hides(strong: ComparedRule, weak: ComparedRule): boolean {
  return byForce(strong, weak) < 0 && outlasts(strong, weak) && covers(strong, weak) && decidesFor(strong, weak);
}

const outlasts = (strong: ComparedRule, weak: ComparedRule): boolean =>
  strong.maxUses === null &&
  (strong.expiresAt === null ||
    (weak.expiresAt !== null && Date.parse(strong.expiresAt) >= Date.parse(weak.expiresAt)));

/** Whether a rule matches whenever the other one does. */
function covers(wide: ComparedRule, narrow: ComparedRule): boolean {
  return (
    coversAll(methodsOf(wide), methodsOf(narrow)) &&
    coversAll(wide.agentIds, narrow.agentIds) &&
    (wide.when === '' || isSameCondition(wide, narrow)) &&
    coversPathsOf(wide, narrow)
  );
}

/**
 * Whether a rule fits every path that the other one fits. A rule that restricts also fits paths without the last slash
 * of its pattern, and paths that are the decoded pattern (docs/reference/risk.md#rule-paths).
 */
function coversPathsOf({ pathPattern: wide }: ComparedRule, { effect, pathPattern: narrow }: ComparedRule): boolean {
  if (wide === narrow || effect === 'allow' || effect === 'guidance') return coversPaths(wide, narrow);
  // What is decoded may have more segments.
  if (narrow.includes('%')) return coversPaths(wide, '');
  return [narrow, narrow.replace(/(?<=.)\/$/, '')].every((each) => coversPaths(wide, each));
}

/** Where nobody can decide a condition, it counts for the stronger rule too if both restrict, or are alike. */
const isSameCondition = (strong: ComparedRule, weak: ComparedRule): boolean =>
  strong.when === weak.when && (strong.effect !== 'allow' || weak.effect === 'allow');

/** An empty list stands for all. */
const coversAll = <Item>(wide: readonly Item[], narrow: readonly Item[]): boolean =>
  wide.length === 0 || (narrow.length > 0 && narrow.every((item) => wide.includes(item)));

const methodsOf = ({ methods }: ComparedRule): ComparedRule['methods'] =>
  HTTP_METHODS.every((method) => methods.includes(method)) ? [] : methods;

const isException = ({ exceptionTo }: ComparedRule): boolean => exceptionTo.length > 0;

/** Whether a rule that matches leaves nothing to do for the weaker one (docs/reference/risk.md#order). */
function decidesFor(strong: ComparedRule, weak: ComparedRule): boolean {
  switch (strong.effect) {
    case 'deny':
      return true;
    case 'require_approval':
      if (weak.effect === 'require_approval') return asksNoMore(weak, strong);
      // An exception lifts the rules that it names, all others hide it.
      return !(isException(weak) && weak.exceptionTo.includes(strong.id));
    case 'allow':
      return !isException(strong) && (weak.effect !== 'allow' || liftsAsMuch(strong, weak));
    case 'limit': // decides only while it is used up
    case 'guidance':
      return false;
  }
}

/** Of the rules that ask, each counts: the most approvals, people that all name, and whether exceptions may lift it. */
const asksNoMore = (weak: ComparedRule, strong: ComparedRule): boolean =>
  weak.approvals <= strong.approvals &&
  (weak.approverIds.length === 0 || isSameList(weak.approverIds, strong.approverIds)) &&
  (weak.exceptions === strong.exceptions || weak.exceptions === 'temporary');

/** A permission for every path does not lift what the service asks about. An exception lifts what others do not. */
const liftsAsMuch = (strong: ComparedRule, weak: ComparedRule): boolean =>
  !isException(weak) &&
  (strong.pathPattern !== '' || strong.when !== '' || (weak.pathPattern === '' && weak.when === ''));

/** Whether two rules say yes and no about the same requests. */
function isOpposite(one: ComparedRule, other: ComparedRule): boolean {
  const isRefusal = ({ effect }: ComparedRule) => effect === 'deny' || effect === 'require_approval';
  const isYesAndNo = (isRefusal(one) && other.effect === 'allow') || (one.effect === 'allow' && isRefusal(other));
  return (
    isYesAndNo &&
    !isException(one) &&
    !isException(other) &&
    one.when === other.when &&
    isSameList(methodsOf(one), methodsOf(other)) &&
    isSameList(one.agentIds, other.agentIds) &&
    coversPaths(one.pathPattern, other.pathPattern) &&
    coversPaths(other.pathPattern, one.pathPattern)
  );
}

const isSameList = <Item>(one: readonly Item[], other: readonly Item[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item));
