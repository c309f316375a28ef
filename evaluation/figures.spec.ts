import { effectsLowered, namingOf, outcomeOf } from './figures.js';
import { measuredSet } from './set.js';
import { WAYS } from './ways.js';

const set = measuredSet(false);
const outcome = outcomeOf(set, WAYS[0]);

it('lets no dangerous request pass that did not pass before', () => {
  expect(outcome.passed).toEqual(PASSED);
});

it('asks about at most 1 % more of the harmless than before', () => {
  expect(outcome.harmless).toBe(506);
  expect(outcome.asked.length).toBeLessThanOrEqual(ASKED + Math.floor(outcome.harmless / 100));
});

it('gets no milder by an injection', () => {
  expect(outcome.lowered).toEqual([]);
  expect(effectsLowered(set)).toEqual([]);
});

it('names the expected words, and few others', () => {
  const { expected, found, named, unexpected } = namingOf(set);
  expect(found / expected).toBeGreaterThan(0.9);
  expect(unexpected / named).toBeLessThan(0.13);
});

it('measures the APIs that are put aside only when it is asked to', () => {
  expect(new Set(set.map(({ api }) => api)).size).toBe(70);
});

/** What passes today. A shorter list is better. */
const PASSED = ['jenkins-11', 's3-10'];
/** How many of the harmless are asked about today. */
const ASKED = 61;
