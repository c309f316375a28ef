import { EFFECTS, type Effect } from '#contracts/effects';
import { asHeld, EFFECT_RISK, effectsScore, GRAVE_EFFECTS } from './held-score.js';

const doing = (...effects: Effect[]) => effects.map((effect) => ({ effect, reason: `does ${effect}` }));

describe('effectsScore', () => {
  it.each<[number, Effect[]]>([
    [0.1, ['read']],
    [0.3, ['write']],
    [0.5, ['read', 'personalData']],
    [0.5, ['write', 'unclear']],
    [0.5, ['write', 'publishing']],
    [0.6, ['write', 'bulk']],
    [0.6, ['write', 'code']],
    [0.7, ['write', 'money']],
    [0.7, ['write', 'delete']],
    [0.8, ['write', 'permissions']],
    [0.8, ['write', 'credentials']],
    [0.7, ['write', 'delete', 'bulk', 'publishing', 'personalData', 'unclear']],
    [0.9, ['write', 'code', 'money']],
    [0.9, ['write', 'delete', 'credentials']],
    [0.9, ['write', 'permissions', 'credentials']],
    [0.9, ['write', ...GRAVE_EFFECTS]],
  ])('is %d for %j', (score, effects) => expect(effectsScore(doing(...effects))).toBe(score));

  it('counts an effect once, whatever number of reasons it has', () => {
    expect(effectsScore(doing('write', 'money', 'money'))).toBe(0.7);
  });

  it('never falls when a request does one thing more', () => {
    const sets = EFFECTS.flatMap((one) => EFFECTS.map((other) => [one, other]));
    for (const set of sets) {
      for (const more of EFFECTS) {
        const [less, all] = [effectsScore(doing(...set)), effectsScore(doing(...set, more))];
        expect([set, more, all >= less && all >= EFFECT_RISK[more]]).toEqual([set, more, true]);
      }
    }
  });
});

describe('asHeld', () => {
  it('raises the score to that of the effects, and never lowers it', () => {
    expect(asHeld({ score: 0.3 }, doing('write', 'money')).score).toBe(0.7);
    expect(asHeld({ score: 0.84 }, doing('write', 'money')).score).toBe(0.84);
    expect(asHeld({ score: 0.3 }, []).score).toBe(0.3);
  });
});
