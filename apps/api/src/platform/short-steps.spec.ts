import { setImmediate as nextTurn } from 'node:timers/promises';
import { atOnce, Turns, type ShortSteps } from './short-steps.js';

/** Steps that say when they run. Each takes as long as a turn. */
function* work(name: string, steps: number, log: string[]): ShortSteps<string> {
  for (let step = 1; step <= steps; step++) {
    log.push(name);
    const endMs = performance.now() + 3;
    while (performance.now() < endMs);
    yield;
  }
  return name;
}

describe('long work in short steps', () => {
  it('is done at once where nobody waits', () => {
    const log: string[] = [];
    expect(atOnce(work('a', 3, log))).toBe('a');
    expect(log).toEqual(['a', 'a', 'a']);
  });

  it('lets the event loop turn between two steps, however much work waits', async () => {
    const turns = new Turns();
    const log: string[] = [];
    const all = Promise.all([1, 2, 3].map((owner) => turns.take(owner, work('work', 3, log))));
    let isDone = false;
    void (async () => {
      await all;
      isDone = true;
    })();
    while (!isDone) {
      await nextTurn();
      log.push('turn');
    }
    expect(log.join(' ')).not.toContain('work work');
    expect(log.filter((entry) => entry === 'work')).toHaveLength(9);
  });

  it('gives each owner the same share, whatever the others want', async () => {
    const turns = new Turns();
    const log: string[] = [];
    await Promise.all([
      ...Array.from({ length: 10 }, () => turns.take(1, work('greedy', 3, log))),
      turns.take(2, work('modest', 3, log)),
    ]);
    const last = log.lastIndexOf('modest');
    expect(log.slice(0, last).filter((name) => name === 'greedy').length).toBeLessThanOrEqual(4);
    expect(log).toHaveLength(33);
  });

  it('hands a fault to whoever waits for it, and goes on with the others', async () => {
    const turns = new Turns();
    // eslint-disable-next-line require-yield -- it fails before.
    function* failing(): ShortSteps<string> {
      throw new Error('broken');
    }
    const [failed, done] = await Promise.allSettled([turns.take(1, failing()), turns.take(1, work('next', 1, []))]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
    expect(done).toEqual({ status: 'fulfilled', value: 'next' });
  });
});
