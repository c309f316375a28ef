import type { RiskRule } from '#contracts';
import { changedFields } from './changed-fields.js';

const rule = (fields: Partial<RiskRule>) => ({ name: 'R', methods: ['GET'], when: '', uses: 0, ...fields }) as RiskRule;

it('names what a change has changed, and not what only counts', () => {
  expect(changedFields(rule({}), rule({ methods: ['GET', 'POST'], when: 'firstTime', uses: 4 }))).toEqual([
    'methods',
    'when',
  ]);
  expect(changedFields(undefined, rule({}))).toBeNull();
});
