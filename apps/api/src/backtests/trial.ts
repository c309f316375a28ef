import type { BacktestOutcome } from '#contracts';
import { requestContent } from '../request-reading/request-content.js';
import type { RequestFacts } from '../risk/request-facts.js';
import type { RiskAssessor } from '../risk/risk-assessor.js';
import type { RiskRequest } from '../risk/risk-verdict.js';
import type { Ruled } from '../risk/rule-verdict.js';
import { approvalsNeeded, isSamePeople, type ApprovalsNeeded } from '../rules/approvals-needed.js';
import { readsContent, readsEffects } from '../rules/rule-content.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import type { PastRequest } from './past-requests.js';

/** What is tried: a rule, or the effects that the service would ask about. */
export interface Tried {
  /** Null: effects. */
  rule: ServiceRule | null;
  /** The service as it would be. */
  service: ServiceView;
}

export interface Tested {
  isMatched: boolean;
  /** Why nobody can tell whether the rule matches. Null: it can be told. */
  undecided: string | null;
  now: Treatment;
  then: Treatment;
}

/** What happens to a request. */
export interface Treatment {
  outcome: BacktestOutcome;
  /** Null: it is not held. */
  approvals: ApprovalsNeeded | null;
}

/** Whether a request would be treated differently: it meets something else, or more, fewer or other people approve it. */
export const isChanged = (tested: Pick<Tested, 'now' | 'then'>): boolean =>
  tested.now.outcome !== tested.then.outcome ||
  tested.now.approvals?.needed !== tested.then.approvals?.needed ||
  haveOtherApprovers(tested);

/** Whether a request is held now and then, and other people may approve it. */
export const haveOtherApprovers = ({ now, then }: Pick<Tested, 'now' | 'then'>): boolean =>
  now.approvals !== null && then.approvals !== null && !isSamePeople(now.approvals, then.approvals);

const OUTCOMES = { forward: 'forwarded', hold: 'held', deny: 'refused' } as const;

const OF_MODEL: readonly string[] = ['model', 'cache', 'model_failure', 'model_timeout'];

/** A service without the rules that read what was not kept of a request. */
interface Views {
  whole: ServiceView;
  bare: ServiceView;
}

function views(service: ServiceView, reads: (rule: ServiceRule) => boolean): Views {
  const rules = service.rules.filter((rule) => !reads(rule));
  return { whole: service, bare: rules.length === service.rules.length ? service : { ...service, rules } };
}

/** Compares what happens to requests now with what would happen. The assessor of real requests decides. */
export class Trial {
  /** Whether a request can be tested only if its headers and body are known. */
  readonly needsWhole: boolean;
  /** Whether headers and bodies, and what they say that the request does, make a difference. */
  readonly readsWhole: boolean;
  /** The service with all rules that facts are needed for. Null: for none. */
  readonly needsFacts: ServiceView | null;
  private readonly readsEffects: boolean;
  private readonly present: Views;
  private readonly tried: Views;
  /** The service with the rule, active or not. */
  private readonly matching: Views;

  constructor(
    private readonly assessor: RiskAssessor,
    private readonly threshold: number,
    present: ServiceView,
    private readonly what: Tried,
    hasTools: boolean,
  ) {
    const reads = (rule: ServiceRule): boolean => readsContent(rule, hasTools);
    const { rule, service } = what;
    this.present = views(present, reads);
    this.tried = views(service, reads);
    const isIn = rule === null || service.rules.includes(rule);
    this.matching = isIn ? this.tried : views({ ...service, rules: [...service.rules, rule] }, reads);
    this.needsWhole = rule !== null && reads(rule);
    const both = { ...service, rules: rule === null ? service.rules : [...present.rules, rule] };
    this.needsFacts =
      both.askFor.length > 0 || both.rules.some(({ when, limit }) => when !== '' || limit?.sum !== undefined)
        ? both
        : null;
    this.readsEffects = both.askFor.length > 0 || both.rules.some(readsEffects);
    this.readsWhole = rule === null || [...present.rules, rule].some(reads) || service.askFor.length > 0;
  }

  /**
   * @param facts null if `needsFacts` is null
   * @param breathe lets others work. A body of 256 kB takes tens of milliseconds
   */
  async test(past: PastRequest, facts: RequestFacts | null, breathe: () => Promise<void>): Promise<Tested> {
    const { rule } = this.what;
    if (past.isWhole && facts !== null) await this.readAhead(past.request, facts, breathe);
    const part = past.isWhole ? 'whole' : 'bare';
    const ruled = async (of: Views): Promise<Ruled> => {
      await breathe();
      return this.assessor.ruled(past.agentId, of[part], past.request, facts?.anew() ?? null);
    };
    const tried = await ruled(this.tried);
    const { found, asked } = this.matching === this.tried ? tried : await ruled(this.matching);
    return {
      isMatched: rule === null ? asked.length > 0 : found.rules.includes(rule),
      undecided: (rule && found.reasons.get(rule.id)) ?? null,
      now: this.treatment(past, await ruled(this.present)),
      then: this.treatment(past, tried),
    };
  }

  /** Each of these is kept with the request. */
  private async readAhead(request: RiskRequest, facts: RequestFacts, breathe: () => Promise<void>): Promise<void> {
    await breathe();
    requestContent(request);
    if (!this.readsEffects) return;
    await breathe();
    void facts.effects;
  }

  private treatment(past: PastRequest, ruled: Ruled): Treatment {
    const outcome = this.outcome(past, ruled);
    return { outcome, approvals: outcome === 'held' ? approvalsNeeded(ruled.found.rules) : null };
  }

  private outcome({ isWhole, source, score, outcome }: PastRequest, ruled: Ruled): BacktestOutcome {
    if (ruled.decision !== null) return OUTCOMES[ruled.decision];
    if (OF_MODEL.includes(source) && score !== null) return score >= this.threshold ? 'held' : 'forwarded';
    // A rule or an effect decided then. Perhaps it is one of those that can't be tested without the body.
    const isUntested =
      !isWhole && [this.present, this.tried].some(({ bare, whole }) => bare !== whole || whole.askFor.length > 0);
    if (isUntested && (outcome === 'forwarded' || outcome === 'held' || outcome === 'refused')) return outcome;
    return 'assessed';
  }
}
