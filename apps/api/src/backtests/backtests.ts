import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  BACKTEST_REQUESTS_DEFAULT,
  type Backtest,
  type BacktestedRule,
  type BacktestRequest,
  type CreateRiskRuleRequest,
  type RulePreview,
} from '#contracts';
import { parseUrl } from '#egress';
import { OperationIndex } from '../documentation/operation-index.js';
import type { ActingMember } from '../membership/member.js';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { SenderQueue } from '../platform/http/sender-queue.js';
import { RequestFactsReader } from '../risk/request-facts-reader.js';
import type { RequestFacts } from '../risk/request-facts.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import { serviceNeeds } from '../risk/service-needs.js';
import { RiskRuleRegistry } from '../rules/risk-rule-registry.js';
import { toUnsavedRule } from '../rules/rule-draft.js';
import { ServiceRegistry } from '../services/service-registry.js';
import type { ServiceView } from '../service-view/service-view.js';
import { Examples } from './examples.js';
import { PastRequests, type PastRequest } from './past-requests.js';
import { Reasons } from './reasons.js';
import { isChanged, Trial, type Tried } from './trial.js';

/** How long one pass of the event loop spends on a backtest. */
const SLICE_MS = 2;
/** How many backtests of one person may wait. An editor starts one at each pause of typing. */
const WAITING_MAX = 10;
/** How many of the latest assessed requests a preview checks. */
const PREVIEW_REQUESTS = 200;
/** No stored rule has this id. */
const UNSAVED = 0;

const ONLY_HELD =
  'Bodies and headers are kept of held requests only, and the rule may read them: it was tested on those of up to 256 kB';
const NO_BODIES =
  'Bodies and headers of forwarded requests are not kept, and bodies over 256 kB are not read: of these, only method and URL were tested';

const FIRST_TIMES =
  'A rule reads firstTime: it was tested with what is known now, because what was a first time then is not kept';

/** Tries unsaved rules on the latest requests. */
@Injectable()
export class Backtests {
  /** One at a time, because it takes CPU. People take turns. */
  private readonly waiting = new SenderQueue<() => Promise<void>>();
  private readonly asked = new Map<number, number>();

  constructor(
    private readonly services: ServiceRegistry,
    private readonly operations: OperationIndex,
    private readonly rules: RiskRuleRegistry,
    private readonly assessor: RiskAssessor,
    private readonly facts: RequestFactsReader,
    private readonly requests: PastRequests,
    private readonly config: RiskConfig,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404, 429 */
  async run(member: ActingMember, serviceId: number, request: BacktestRequest): Promise<Backtest> {
    const service = await this.services.view(member.workspaceId, serviceId);
    const { rule, askFor, last = BACKTEST_REQUESTS_DEFAULT } = request;
    const tried =
      rule === undefined ? { rule: null, service: { ...service, askFor: askFor! } } : await this.with(service, rule);
    return this.inTurn(member.id, () => this.compare(service, tried, last, member.id));
  }

  /** @throws ApiError 404, 429 */
  async preview(member: ActingMember, serviceId: number, rule: CreateRiskRuleRequest): Promise<RulePreview> {
    // Only a condition needs the facts of a request.
    if (!rule.when?.trim()) {
      const compared = await this.rules.preview(member.workspaceId, serviceId, rule, PREVIEW_REQUESTS);
      return { ...compared, undecided: 0, note: null };
    }
    const { matched, undecided, of, note } = await this.run(member, serviceId, { rule, last: PREVIEW_REQUESTS });
    return { matched, undecided, of, note };
  }

  private async with(service: ServiceView, rule: BacktestedRule): Promise<Tried> {
    const { id = UNSAVED, isActive = true } = rule;
    if (id !== UNSAVED) await this.assertExists(service, id);
    const unsaved = toUnsavedRule(id, rule, this.clock.nowMs());
    const others = service.rules.filter((other) => other.id !== id);
    return { rule: unsaved, service: { ...service, rules: isActive ? [...others, unsaved] : others } };
  }

  /** It may be switched off, and then the view lacks it. @throws ApiError 404 */
  private async assertExists({ workspaceId, id: serviceId }: ServiceView, ruleId: number): Promise<void> {
    const stored = await this.rules.list(workspaceId, serviceId);
    if (!stored.some(({ id }) => id === ruleId)) throw errors.ruleNotFound();
  }

  private async compare(service: ServiceView, tried: Tried, last: number, readerId: number): Promise<Backtest> {
    const trial = new Trial(
      this.assessor,
      this.config.threshold,
      service,
      tried,
      await this.operations.hasTools(service),
    );
    const result = { of: 0, matched: 0, changed: 0 };
    const undecided = new Reasons();
    const ownApprovals = { of: 0, saved: 0 };
    const examples = new Examples();
    let isPartly = false;
    const breathe = this.inSlices();
    for await (const past of this.requests.latest(service.id, last, trial.readsWhole, readerId)) {
      await breathe();
      const { request } = past;
      isPartly ||= trial.readsWhole && !past.isWhole;
      // A service that was moved has records with other URLs, which are read as they would be now.
      if ((trial.needsWhole && !past.isWhole) || parseUrl(request.targetUrl) === null) continue;
      const { needsFacts: of } = trial;
      const tested = await trial.test(past, of === null ? null : await this.factsOf(past, of), breathe);
      const changes = isChanged(tested);
      result.of += 1;
      if (tested.isMatched) result.matched += 1;
      if (tested.undecided !== null) undecided.add(tested.undecided);
      if (changes) result.changed += 1;
      if (past.isOwnApproval) {
        ownApprovals.of += 1;
        if (tested.isMatched && tested.then.outcome === 'forwarded') ownApprovals.saved += 1;
      }
      if (changes || tested.isMatched) examples.add(past, tested);
    }
    const notes = [
      ...(isPartly ? [trial.needsWhole ? ONLY_HELD : NO_BODIES] : []),
      ...(trial.needsFacts !== null && serviceNeeds(trial.needsFacts).firstTime ? [FIRST_TIMES] : []),
    ];
    return {
      ...result,
      undecided: undecided.total,
      undecidedBecause: undecided.mostFrequent,
      ownApprovals,
      examples: examples.all,
      note: notes.length === 0 ? null : notes.join('. '),
    };
  }

  private factsOf({ agentId, request }: PastRequest, service: ServiceView): Promise<RequestFacts> {
    return this.facts.of(agentId, service, request, serviceNeeds(service));
  }

  /** @returns to be called before each piece of work. It lets others work if the time of this slice is over */
  private inSlices(): () => Promise<void> {
    let endMs = 0;
    return async () => {
      if (this.clock.monotonicMs() <= endMs) return;
      await setImmediate();
      endMs = this.clock.monotonicMs() + SLICE_MS;
    };
  }

  /** @throws ApiError 429 */
  private async inTurn<Result>(personId: number, work: () => Promise<Result>): Promise<Result> {
    const own = this.asked.get(personId) ?? 0;
    if (own >= WAITING_MAX) throw errors.tooManyBacktests();
    this.asked.set(personId, own + 1);
    try {
      return await new Promise<Result>((resolve, reject) => {
        const isIdle = this.waiting.isEmpty;
        this.waiting.add(personId, () => work().then(resolve, reject));
        if (isIdle) void this.runAll();
      });
    } finally {
      const left = this.asked.get(personId)! - 1;
      if (left === 0) this.asked.delete(personId);
      else this.asked.set(personId, left);
    }
  }

  private async runAll(): Promise<void> {
    for (let next = this.waiting.next; next !== undefined; next = this.waiting.next) {
      await next();
      this.waiting.take();
    }
  }
}
