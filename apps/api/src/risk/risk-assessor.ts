import { Injectable } from '@nestjs/common';
import type { RequestEffect, RiskDecision } from '#contracts/risk';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { Turns } from '../platform/turns.js';
import { isLong } from '../request-reading/request-content.js';
import { byForce } from '../rules/rule-matching.js';
import { RiskRuleRegistry } from '../rules/risk-rule-registry.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { askedEffects, decideWithoutModel, factSteps, matchingOf, type Matching } from './decide.js';
import { decidingRule, decisionBy } from './deciding-rule.js';
import { reachedLimit, type LimitState, type LimitToCount } from './limits/limit-to-count.js';
import { LimitReader } from './limits/limit-reader.js';
import { ModelAssessor } from './model-assessor.js';
import type { RequestFacts } from './request-facts.js';
import { RequestFactsReader } from './request-facts-reader.js';
import { serviceNeeds } from './service-needs.js';
import type { HeldVerdict, RiskRequest, RiskVerdict } from './risk-verdict.js';
import { byEffects, byLimit, byRule, rulingByLimit, undecided, type Matched, type Ruled } from './rule-verdict.js';

/**
 * Assesses requests. The team's rules come first, the strongest first; then what the service asks about; then the model's
 * score, blended with the heuristic (docs/reference/risk.md#order).
 */
@Injectable()
export class RiskAssessor {
  constructor(
    private readonly clock: Clock,
    private readonly model: ModelAssessor,
    private readonly rules: RiskRuleRegistry,
    private readonly facts: RequestFactsReader,
    private readonly limits: LimitReader,
    private readonly turns: Turns,
  ) {}

  /**
   * Returns the verdict if it is already known: from a rule or an effect, or cached from an identical request. null if it
   * needs the model, documentation that is not in memory, a check of a rule's remaining uses, or the use of a limit before
   * the request is held. Has no side effects.
   */
  known(agentId: number, service: ServiceView, request: RiskRequest): RiskVerdict | null {
    const needs = serviceNeeds(service);
    const facts = needs.facts ? this.facts.inMemory(agentId, service, request, needs) : null;
    if (facts === undefined) return null;
    const found = this.matching(agentId, service, request, facts);
    if (found.isPathUndecided) return this.withObserved(undecided(found, request), agentId, service, request, facts);
    const verdict = this.knownAlone(service, request, found, askedEffects(service.askFor, facts));
    // A request that is sent is counted with its record.
    if (verdict === null || (verdict.decision === 'hold' && verdict.limits.length > 0)) return null;
    return this.withObserved(verdict, agentId, service, request, facts);
  }

  private knownAlone(
    service: ServiceView,
    request: RiskRequest,
    found: Matched,
    asked: readonly RequestEffect[],
  ): RiskVerdict | null {
    const rule = decidingRule(found.rules, asked);
    if (rule) return rule.maxUses === null ? byRule(rule, found, request) : null;
    if (asked.length > 0) return byEffects(asked, found, request);
    return this.model.known(service, request, found);
  }

  /** Makes the full assessment. If the deciding rule has a use limit, this counts one use. */
  assess(agentId: number, service: ServiceView, request: RiskRequest): Promise<RiskVerdict> {
    return this.judge(agentId, service, request, (ruleId) => this.rules.consumeUse(ruleId));
  }

  /**
   * Returns what `assess` would return, but counts no use of a rule.
   * @param readsLimits false: whatever limits are used up, because the request is not sent now
   */
  preview(agentId: number, service: ServiceView, request: RiskRequest, readsLimits = true): Promise<RiskVerdict> {
    return this.judge(agentId, service, request, (ruleId) => this.rules.hasUse(ruleId), readsLimits);
  }

  /** What the model says about a request that something else has held. Decides nothing. */
  async assessHeld(agentId: number, service: ServiceView, request: RiskRequest): Promise<HeldVerdict> {
    const facts = await this.neededFacts(agentId, service, request);
    return this.model.assessHeld(agentId, service, request, this.matching(agentId, service, request, facts));
  }

  /** What the rules and the effects decide, without the model. Counts no use of a rule, and takes each as usable. */
  ruled(agentId: number, service: ServiceView, request: RiskRequest, facts: RequestFacts | null): Ruled {
    const found = this.matching(agentId, service, request, facts);
    const { decision, asked } = decideWithoutModel(found, service.askFor, facts);
    return { decision, found, asked };
  }

  /**
   * Whatever was decided about the request earlier.
   * @throws ApiError 403 if a rule denies the request now
   */
  async assertNotDenied(agentId: number, service: ServiceView, request: RiskRequest): Promise<void> {
    const facts = await this.neededFacts(agentId, service, request);
    const { rules, isPathUndecided } = this.matching(agentId, service, request, facts);
    if (isPathUndecided) throw errors.pathNotCompared();
    const [strongest] = rules;
    if (strongest?.effect === 'deny') throw errors.deniedByRule(strongest.name);
  }

  /** The limits that a request counts against when it is sent, whatever was decided about it. */
  async limitsOf(agentId: number, service: ServiceView, request: RiskRequest): Promise<readonly LimitToCount[]> {
    const facts = await this.neededFacts(agentId, service, request);
    return this.matching(agentId, service, request, facts).limits;
  }

  /** The verdict about a request that would be sent, but did not fit into a limit when it was counted. */
  async limited(
    agentId: number,
    service: ServiceView,
    request: RiskRequest,
    verdict: RiskVerdict,
    reached: LimitState,
  ): Promise<RiskVerdict> {
    const byModel = verdict.source === 'rule' ? '' : verdict.explanation;
    const limited = { ...verdict, ...rulingByLimit(reached, request, byModel) };
    return this.withObserved(limited, agentId, service, request, await this.neededFacts(agentId, service, request));
  }

  private async judge(
    agentId: number,
    service: ServiceView,
    request: RiskRequest,
    mayUse: (ruleId: number) => Promise<boolean>,
    readsLimits = true,
  ): Promise<RiskVerdict> {
    const facts = await this.neededFacts(agentId, service, request);
    const verdict = await this.verdict(agentId, service, request, { facts, mayUse, readsLimits });
    return this.withObserved(verdict, agentId, service, request, facts);
  }

  private async verdict(
    agentId: number,
    service: ServiceView,
    request: RiskRequest,
    { facts, mayUse, readsLimits }: Judging,
  ): Promise<RiskVerdict> {
    let found = this.matching(agentId, service, request, facts);
    if (found.isPathUndecided) return undecided(found, request);
    const asked = askedEffects(service.askFor, facts);
    let isRead = !readsLimits || found.limits.length === 0;
    for (;;) {
      const rule = decidingRule(found.rules, asked);
      if (!isRead && rule?.effect !== 'deny') {
        isRead = true;
        const reached = reachedLimit(await this.limits.read(agentId, found.limits));
        if (reached) return byLimit(reached, found, request);
      }
      if (rule === undefined) break;
      if (rule.maxUses === null || (await mayUse(rule.id))) return byRule(rule, found, request);
      // The rule is used up, maybe by another instance a moment ago, so it no longer applies.
      found = without(rule, found);
    }
    if (asked.length > 0) return byEffects(asked, found, request);
    return this.model.assess(agentId, service, request, found);
  }

  /** Null: no rule and no setting of the service reads them. */
  private async neededFacts(agentId: number, service: ServiceView, request: RiskRequest): Promise<RequestFacts | null> {
    const needs = serviceNeeds(service);
    if (!needs.facts) return null;
    const facts = await this.facts.of(agentId, service, request, needs);
    if (isLong(request)) {
      await this.turns.finishInOrder(agentId, factSteps(service, agentId, request, this.clock.nowMs(), facts));
    }
    return facts;
  }

  /** Adds what each matching rule that is observed would decide. */
  private withObserved(
    verdict: RiskVerdict,
    agentId: number,
    service: ServiceView,
    request: RiskRequest,
    facts: RequestFacts | null,
  ): RiskVerdict {
    if (service.observed.length === 0) return verdict;
    const { rules: observed } = this.matching(agentId, { ...service, rules: service.observed }, request, facts);
    if (observed.length === 0) return verdict;
    const { decision, found, asked } = this.ruled(agentId, service, request, facts);
    // Without rules that are used up.
    const rules = found.rules.filter(({ id }) => verdict.matchedRules.some((rule) => rule.id === id));
    const limited = verdict.reached?.limit.then;
    // Nothing is stronger than a denial, whoever it comes from.
    const isDenied = decision === 'deny' || limited === 'deny';
    const would = (rule: ServiceRule): RiskDecision => {
      if (isDenied) return 'deny';
      const alone = decisionBy([...rules, rule].sort(byForce), asked) ?? verdict.decision;
      // No permission lifts a limit.
      return alone === 'forward' && limited !== undefined ? 'hold' : alone;
    };
    return { ...verdict, observed: observed.map((rule) => ({ ruleId: rule.id, wouldBe: would(rule) })) };
  }

  private matching(agentId: number, service: ServiceView, request: RiskRequest, facts: RequestFacts | null): Matching {
    return matchingOf(service, agentId, request, this.clock.nowMs(), facts);
  }
}

/** What an assessment may read, and how it counts the use of a rule. */
interface Judging {
  facts: RequestFacts | null;
  mayUse: (ruleId: number) => Promise<boolean>;
  readsLimits: boolean;
}

const without = (rule: ServiceRule, found: Matching): Matching => ({
  ...found,
  rules: found.rules.filter((other) => other !== rule),
});
