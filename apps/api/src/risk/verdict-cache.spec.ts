import { Clock } from '../platform/clock.js';
import type { RiskConfig } from '../platform/config.js';
import { ModelFailure } from './model-answer.js';
import { VerdictCache, type Judgement } from './verdict-cache.js';

class MovedClock extends Clock {
  ms = 1000;
  override monotonicMs(): number {
    return this.ms;
  }
}

const answer = (score: number): Judgement => ({ score, raisedScore: score, explanation: 'x', notes: '' });

function start(cacheSeconds = 60) {
  const clock = new MovedClock();
  return { clock, cache: new VerdictCache({ cacheSeconds } as RiskConfig, clock) };
}

/** A promise that the test settles itself. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (err: unknown) => void;
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

describe('VerdictCache', () => {
  it('keeps an answer until its time is over', async () => {
    const { cache, clock } = start(60);
    await cache.ask('a', () => Promise.resolve(answer(0.1)));
    clock.ms += 60_000;
    expect(cache.get('a')).toEqual(answer(0.1));
    clock.ms += 1;
    expect(cache.get('a')).toBeNull();
    expect(cache.size).toBe(0);
  });

  it('does not extend the time of an answer when it is used', async () => {
    const { cache, clock } = start(60);
    await cache.ask('a', () => Promise.resolve(answer(0.1)));
    for (let second = 0; second < 60; second += 1) {
      clock.ms += 1000;
      expect(cache.get('a')).not.toBeNull();
    }
    clock.ms += 1;
    expect(cache.get('a')).toBeNull();
  });

  it('never keeps a failure', async () => {
    const { cache } = start();
    await expect(cache.ask('a', () => Promise.reject(new ModelFailure('x')))).rejects.toThrow(ModelFailure);
    expect(cache.get('a')).toBeNull();
    expect(cache.pending('a')).toBeNull();
  });

  it('shares an answer or a failure with all callers that wait for it', async () => {
    const { cache } = start();
    const good = deferred<Judgement>();
    const asked = cache.ask('a', () => good.promise);
    const joined = [cache.pending('a')!, cache.pending('a')!];
    expect(cache.pending('b')).toBeNull();
    good.resolve(answer(0.2));
    expect(await Promise.all([asked, ...joined])).toEqual([answer(0.2), answer(0.2), answer(0.2)]);

    const bad = deferred<Judgement>();
    const failing = [cache.ask('c', () => bad.promise), cache.pending('c')!];
    bad.reject(new ModelFailure('x'));
    const results = await Promise.allSettled(failing);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(cache.pending('c')).toBeNull();
  });

  it('keeps 5,000 answers and drops the least recently used', async () => {
    const { cache } = start();
    for (let n = 0; n < 5000; n += 1) await cache.ask(`k${n}`, () => Promise.resolve(answer(0)));
    cache.get('k0');
    await cache.ask('one more', () => Promise.resolve(answer(0)));
    expect(cache.size).toBe(5000);
    expect(cache.get('k0')).not.toBeNull();
    expect(cache.get('k1')).toBeNull();
  });

  it('is off at 0 seconds', () => expect(start(0).cache.enabled).toBe(false));
});
