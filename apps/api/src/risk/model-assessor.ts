import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DocumentationReader } from '../documentation/documentation-reader.js';
import { Metrics } from '../observability/metrics.js';
import { RiskConfig } from '../platform/config.js';
import { calledTools } from '../request-reading/rpc-calls.js';
import { judgedMethod } from '../request-reading/request-methods.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { injectionsIn } from './injections.js';
import { ModelFailure } from './model-answer.js';
import { ModelClient } from './model-client.js';
import { injectionNote, unseenNote } from './notes.js';
import { buildPrompt, promptText } from './prompt.js';
import { RequestFactsReader } from './request-facts-reader.js';
import type { HeldVerdict, RiskRequest, RiskVerdict } from './risk-verdict.js';
import { guidance, joined, matched, type Matched } from './rule-verdict.js';
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

/** Assesses requests that no rule decides, by the model's score, blended with the heuristic. */
@Injectable()
export class ModelAssessor {
  constructor(
    private readonly config: RiskConfig,
    private readonly cache: VerdictCache,
    private readonly model: ModelClient,
    private readonly documentation: DocumentationReader,
    private readonly facts: RequestFactsReader,
    private readonly metrics: Metrics,
  ) {}

  /** The verdict about an identical request. Null: none is known. */
  known(service: ServiceView, request: RiskRequest, found: Matched): RiskVerdict | null {
    if (!this.cache.enabled) return null;
    const answer = this.cache.get(cacheKey(service, request, found.rules));
    if (answer !== null) this.metrics.lookedUp('verdict', true);
    return answer && this.byModel(answer, 'cache', found, request, null);
  }

  /** @param isHeld whether something else holds the request already */
  async assess(
    agentId: number,
    service: ServiceView,
    request: RiskRequest,
    found: Matched,
    isHeld = false,
  ): Promise<RiskVerdict> {
    let prompt: string | null = null;
    const ask = async (): Promise<Judgement> => {
      const injections = injectionsIn(request);
      const shown = showRequest(request, this.config.promptMaxBytes);
      const built = buildPrompt(shown, injections, {
        serviceName: service.name,
        baseUrl: service.baseUrl,
        guidance: guidance(found.rules),
        effects: await this.facts.effects(agentId, service, request),
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
      this.metrics.lookedUp('verdict', Boolean(earlier));
      if (earlier) return this.byModel(await earlier, 'cache', found, request, null);
      return this.byModel(await this.cache.ask(key, ask), 'model', found, request, prompt);
    } catch (err) {
      if (err instanceof ModelFailure) return this.byFailure(err, found, request, prompt, isHeld);
      throw err;
    }
  }

  /** What the model says about a request that something else has held. */
  async assessHeld(agentId: number, service: ServiceView, request: RiskRequest, found: Matched): Promise<HeldVerdict> {
    const { score, llmScore, explanation } = await this.assess(agentId, service, request, found, true);
    // The explanation of why it is held has the warning already.
    const warning = injectionNote(injectionsIn(request));
    const said = explanation.startsWith(warning) ? explanation.slice(warning.length).trimStart() : explanation;
    return { score, llmScore, explanation: llmScore === null ? said : `The risk model says: ${said}` };
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

  private byFailure(
    failure: ModelFailure,
    found: Matched,
    request: RiskRequest,
    prompt: string | null,
    isHeld: boolean,
  ): RiskVerdict {
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
        this.whyFailed(failure, held) + (isHeld ? '' : effectOfFailure(held, request)) + remark(request),
      ),
      source: failure.kind === 'timeout' ? 'model_timeout' : 'model_failure',
      decision: held || raised >= threshold ? 'hold' : 'forward',
    };
  }

  private whyFailed({ kind, reason, score }: ModelFailure, held: boolean): string {
    if (kind === 'timeout') return `The risk model did not answer within ${this.config.llmTimeoutMs} ms`;
    if (kind === 'refusal') return `The risk model refused to assess the request (${reason})`;
    if (kind === 'unreadable') return `The risk model's answer could not be read (${reason})`;
    if (held) return `The risk model's answer is unusable (${reason}) but contains the score ${score}`;
    return `The risk model gave no verdict (${reason})`;
  }
}

const effectOfFailure = (held: boolean, request: RiskRequest): string =>
  held
    ? ': held for approval as a safety measure'
    : `: the score of the method ${judgedMethod(request)} was used, raised as a safety measure`;

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
