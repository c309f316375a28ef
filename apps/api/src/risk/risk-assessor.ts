import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { RequestEffect, RiskDecision } from '#contracts/risk';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { DocumentationReader } from '../documentation/documentation-reader.js';
import { byForce } from '../rules/rule-matching.js';
import { calledTools } from '../request-reading/rpc-calls.js';
import { judgedMethod } from '../request-reading/request-methods.js';
import { RiskRuleRegistry } from '../rules/risk-rule-registry.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { askedEffects, decideWithoutModel, matchingOf, type Matching } from './decide.js';
import { decidingRule, decisionBy } from './deciding-rule.js';
import { injectionsIn } from './injections.js';
import { reachedLimit, type LimitState, type LimitToCount } from './limits/limit-to-count.js';
import { LimitReader } from './limits/limit-reader.js';
import { ModelFailure } from './model-answer.js';
import { ModelClient } from './model-client.js';
import { injectionNote, unseenNote } from './notes.js';
import { buildPrompt, promptText } from './prompt.js';
import type { RequestFacts } from './request-facts.js';
import { RequestFactsReader } from './request-facts-reader.js';
import { serviceNeeds } from './service-needs.js';
import type { RiskRequest, RiskVerdict } from './risk-verdict.js';
import {
  byEffects,
  byLimit,
  byRule,
  guidance,
  joined,
  matched,
  rulingByLimit,
  undecided,
  type Matched,
  type Ruled,
} from './rule-verdict.js';
import {
  blend,
  failureScore,
  heuristicScore,
  UNSTATED_INTENT_MARGIN,
  withUnseen,
  withUnstatedIntent,
} from './score.js';
import { showRequest } from './shown-request.js';
import { VerdictCache, type Judgement } from './verdict-cache.js';

/** Failures that hold a request whatever its method. */
const HOLDS: ReadonlySet<ModelFailure['kind']> = new Set(['timeout', 'refusal', 'unreadable']);

/** Most characters of documentation in the prompt: about 1,500 tokens. */
const DOCUMENTATION_BUDGET = 6_000;

/**
 * Assesses requests. The team's rules come first, the strongest first; then what the service asks about; then the model's
 * score, blended with the heuristic (docs/reference/risk.md#order).
 */
@Injectable()
export class RiskAssessor {
  constructor(
    private readonly config: RiskConfig,
    private readonly clock: Clock,
    private readonly cache: VerdictCache,
    private readonly model: ModelClient,
    private readonly rules: RiskRuleRegistry,
    private readonly documentation: DocumentationReader,
    private readonly facts: RequestFactsReader,
    private readonly limits: LimitReader,
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
    if (!this.cache.enabled) return null;
    const answer = this.cache.get(cacheKey(service, request, found.rules));
    return answer && this.byModel(answer, 'cache', found, request, null);
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

  /** The verdict about a request that would be sent, but does not fit into a limit that asks a human. */
  heldByLimit(verdict: RiskVerdict, reached: LimitState, request: RiskRequest): RiskVerdict {
    const byModel = verdict.source === 'rule' ? '' : verdict.explanation;
    return { ...verdict, ...rulingByLimit(reached, request, byModel) };
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
    return this.askModel(agentId, service, request, found);
  }

  /** Null: no rule and no setting of the service reads them. */
  private async neededFacts(agentId: number, service: ServiceView, request: RiskRequest): Promise<RequestFacts | null> {
    const needs = serviceNeeds(service);
    return needs.facts ? this.facts.of(agentId, service, request, needs) : null;
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
    // Nothing is stronger than a denial, whoever it comes from.
    const would = (rule: ServiceRule): RiskDecision =>
      decision === 'deny' ? decision : (decisionBy([...rules, rule].sort(byForce), asked) ?? verdict.decision);
    return { ...verdict, observed: observed.map((rule) => ({ ruleId: rule.id, wouldBe: would(rule) })) };
  }

  private matching(agentId: number, service: ServiceView, request: RiskRequest, facts: RequestFacts | null): Matching {
    return matchingOf(service, agentId, request, this.clock.nowMs(), facts);
  }

  private async askModel(
    agentId: number,
    service: ServiceView,
    request: RiskRequest,
    found: Matched,
  ): Promise<RiskVerdict> {
    let prompt: string | null = null;
    const ask = async (): Promise<Judgement> => {
      const injections = injectionsIn(request);
      const shown = showRequest(request, this.config.promptMaxBytes);
      const built = buildPrompt(shown, injections, {
        serviceName: service.name,
        baseUrl: service.baseUrl,
        guidance: guidance(found.rules),
        effects: (await this.facts.of(agentId, service, request)).effects,
        documentation: await this.documentation.documentationFor(
          agentId,
          service,
          request.method,
          request.targetUrl,
          DOCUMENTATION_BUDGET,
          calledTools(request),
        ),
      });
      prompt = promptText(built);
      const answer = await this.model.ask(built);
      return {
        ...answer,
        raisedScore: shown.unseen.length > 0 ? withUnseen(answer.score) : answer.score,
        notes: joined(injectionNote(injections), unseenNote(shown.unseen, answer.score)),
      };
    };
    try {
      if (!this.cache.enabled) return this.byModel(await ask(), 'model', found, request, prompt);
      const key = cacheKey(service, request, found.rules);
      const earlier = this.cache.get(key) ?? this.cache.pending(key);
      // There must be no await between this check and `ask`. Otherwise identical requests would all miss each other's
      // call.
      if (earlier) return this.byModel(await earlier, 'cache', found, request, null);
      return this.byModel(await this.cache.ask(key, ask), 'model', found, request, prompt);
    } catch (err) {
      if (err instanceof ModelFailure) return this.byFailure(err, found, request, prompt);
      throw err;
    }
  }

  private byModel(
    { score: llmScore, raisedScore, explanation, notes }: Judgement,
    source: 'model' | 'cache',
    found: Matched,
    request: RiskRequest,
    prompt: string | null,
  ): RiskVerdict {
    const heuristic = heuristicScore(judgedMethod(request));
    const score = intended(blend(raisedScore, heuristic), request);
    return {
      score,
      llmScore,
      heuristicScore: heuristic,
      explanation: joined(notes, explanation + remark(request)),
      source,
      decision: score >= this.config.threshold ? 'hold' : 'forward',
      rule: null,
      ...matched(found),
      prompt,
    };
  }

  private byFailure(failure: ModelFailure, found: Matched, request: RiskRequest, prompt: string | null): RiskVerdict {
    const { threshold } = this.config;
    const heuristic = heuristicScore(judgedMethod(request));
    const unseen = failure.kind === 'score' ? showRequest(request, this.config.promptMaxBytes).unseen : [];
    const llmScore = unseen.length > 0 ? withUnseen(failure.score) : failure.score;
    // Never lower than the blend with a score that an unusable response contains.
    const byMethod = Math.max(failureScore(heuristic), blend(llmScore, heuristic));
    const raised = intended(byMethod, request);
    const held = HOLDS.has(failure.kind) || llmScore >= threshold;
    // At least the threshold, so that the score agrees with the decision.
    const score = held ? Math.max(raised, threshold) : raised;
    return {
      llmScore: null,
      heuristicScore: heuristic,
      rule: null,
      ...matched(found),
      prompt,
      score,
      explanation: joined(
        injectionNote(injectionsIn(request)),
        unseenNote(unseen, failure.score),
        this.whyFailed(failure, held, request) + remark(request),
      ),
      source: failure.kind === 'timeout' ? 'model_timeout' : 'model_failure',
      decision: held || raised >= threshold ? 'hold' : 'forward',
    };
  }

  private whyFailed({ kind, reason, score }: ModelFailure, held: boolean, request: RiskRequest): string {
    if (kind === 'timeout') {
      return `The risk model did not answer within ${this.config.llmTimeoutMs} ms: held for approval as a safety measure`;
    }
    if (kind === 'refusal') {
      return `The risk model refused to assess the request (${reason}): held for approval as a safety measure`;
    }
    if (kind === 'unreadable') {
      return `The risk model's answer could not be read (${reason}): held for approval as a safety measure`;
    }
    if (held) {
      return `The risk model's answer is unusable (${reason}) but contains the score ${score}: held for approval as a safety measure`;
    }
    return `The risk model gave no verdict (${reason}): the score of the method ${judgedMethod(request)} was used, raised as a safety measure`;
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

const intended = (score: number, { unstatedIntent }: RiskRequest): number =>
  unstatedIntent ? withUnstatedIntent(score) : score;

const remark = ({ unstatedIntent }: RiskRequest): string =>
  unstatedIntent ? ` (no intent was given: ${UNSTATED_INTENT_MARGIN} added to the score)` : '';

/** Covers everything that the prompt contains, so that a cached verdict applies only to exactly the same prompt. */
function cacheKey(service: ServiceView, request: RiskRequest, rules: readonly ServiceRule[]): string {
  const { method, targetUrl, headers, intent, body, rawBody, bodyDescription } = request;
  const { id, name, baseUrl, documentsVersion } = service;
  const context = [id, name, baseUrl, documentsVersion, guidance(rules)];
  // With their lengths, no two pairs of bodies give the same text.
  const bodies = [body?.length, rawBody?.length, bodyDescription];
  const rest = JSON.stringify([context, method, targetUrl, headers, intent, bodies]);
  return hash('sha256', `${rest}\n${body ?? ''}${rawBody ?? ''}`, 'base64');
}
