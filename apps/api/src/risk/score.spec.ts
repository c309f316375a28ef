import fc from 'fast-check';
import { HTTP_METHODS } from '#contracts/states';
import { blend, failureScore, heuristicScore } from './score.js';

const score = fc.double({ min: 0, max: 1, noNaN: true });
const method = fc.constantFrom(...HTTP_METHODS);

describe('heuristicScore', () => {
  it.each([
    ['GET', 0.1],
    ['HEAD', 0.05],
    ['OPTIONS', 0.05],
    ['POST', 0.3],
    ['PATCH', 0.4],
    ['PUT', 0.5],
    ['DELETE', 0.7],
  ] as const)('gives %s %d', (name, expected) => expect(heuristicScore(name)).toBe(expected));
});

describe('blend', () => {
  it.each([
    [0, 0.1, 0.03],
    [1, 0.1, 0.73],
    [0, 0.7, 0.21],
    [1, 0.7, 0.91],
    [0.5, 0.5, 0.5],
    [0.35, 0.4, 0.365],
    [0.33333, 0.05, 0.2483],
  ])('of the model score %d and the heuristic %d is %d', (llm, heuristic, expected) =>
    expect(blend(llm, heuristic)).toBe(expected),
  );

  it('is between the two scores, except for rounding', () => {
    fc.assert(
      fc.property(score, score, (llm, heuristic) => {
        const final = blend(llm, heuristic);
        expect(final).toBeGreaterThanOrEqual(Math.min(llm, heuristic) - 0.00005);
        expect(final).toBeLessThanOrEqual(Math.max(llm, heuristic) + 0.00005);
        expect(final >= 0 && final <= 1).toBe(true);
      }),
    );
  });

  it('never falls when one of the two scores rises', () => {
    fc.assert(
      fc.property(score, score, score, (one, other, fixed) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        expect(blend(low, fixed)).toBeLessThanOrEqual(blend(high, fixed));
        expect(blend(fixed, low)).toBeLessThanOrEqual(blend(fixed, high));
      }),
    );
  });

  it('has at most four decimals', () => {
    fc.assert(
      fc.property(score, method, (llm, name) => {
        expect(String(blend(llm, heuristicScore(name)))).toMatch(/^(0|1|0\.\d{1,4})$/);
      }),
    );
  });
});

describe('failureScore', () => {
  it.each([
    ['GET', 0.4],
    ['HEAD', 0.35],
    ['OPTIONS', 0.35],
    ['POST', 0.6],
    ['PATCH', 0.7],
    ['PUT', 0.8],
    ['DELETE', 1],
  ] as const)('of %s is %d', (name, expected) => expect(failureScore(heuristicScore(name))).toBe(expected));

  it('is higher than the heuristic, but at most 1', () => {
    fc.assert(
      fc.property(score, (heuristic) => {
        const raised = failureScore(heuristic);
        expect(raised).toBeLessThanOrEqual(1);
        expect(raised === 1 || raised > heuristic).toBe(true);
      }),
    );
  });
});
