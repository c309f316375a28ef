import type { BacktestExample } from '#contracts';
import type { PastRequest } from './past-requests.js';
import type { Tested } from './trial.js';

const MAX = 20;

/** The examples of a backtest, newest first: those with another outcome, and others if there is room. */
export class Examples {
  private readonly kept: { example: BacktestExample; isChanged: boolean }[] = [];
  private readonly count = { changed: 0, others: 0 };

  add(past: PastRequest, { outcome, wouldBe }: Tested): void {
    const isChanged = outcome !== wouldBe;
    const kind = isChanged ? 'changed' : 'others';
    if (this.count[kind]++ >= MAX) return;
    const { at, actionId, status } = past;
    const { method, targetUrl } = past.request;
    const example = { method, targetUrl, at: at.toISOString(), outcome, wouldBe, actionId, status };
    this.kept.push({ example, isChanged });
  }

  get all(): BacktestExample[] {
    let room = MAX - Math.min(this.count.changed, MAX);
    return this.kept.filter(({ isChanged }) => isChanged || room-- > 0).map(({ example }) => example);
  }
}
