import type { BacktestExample } from '#contracts';
import type { PastRequest } from './past-requests.js';
import { haveOtherApprovers, isChanged, type Tested } from './trial.js';

const MAX = 20;

/** The examples of a backtest, newest first: those that change, and others if there is room. */
export class Examples {
  private readonly kept: { example: BacktestExample; changes: boolean }[] = [];
  private readonly count = { changed: 0, others: 0 };

  add(past: PastRequest, tested: Tested): void {
    const changes = isChanged(tested);
    const kind = changes ? 'changed' : 'others';
    if (this.count[kind]++ >= MAX) return;
    const { at, actionId, status } = past;
    const { method, targetUrl } = past.request;
    const { now, then } = tested;
    const example = {
      method,
      targetUrl,
      at: at.toISOString(),
      outcome: now.outcome,
      wouldBe: then.outcome,
      approvals: now.approvals?.needed ?? null,
      wouldNeed: then.approvals?.needed ?? null,
      otherApprovers: haveOtherApprovers(tested),
      actionId,
      status,
    };
    this.kept.push({ example, changes });
  }

  get all(): BacktestExample[] {
    let room = MAX - Math.min(this.count.changed, MAX);
    return this.kept.filter(({ changes }) => changes || room-- > 0).map(({ example }) => example);
  }
}
