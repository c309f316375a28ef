import { rotationDue } from './rotation-due.js';

const NOW = Date.parse('2026-05-01T00:00:00Z');

describe('rotationDue', () => {
  it.each([
    [null, null],
    ['2026-04-30T23:59:59Z', 'overdue'],
    ['2026-05-01T00:00:00Z', 'overdue'],
    ['2026-05-01T00:00:01Z', 'due'],
    ['2026-05-08T00:00:00Z', 'due'],
    ['2026-05-08T00:00:01Z', null],
  ] as const)('for %s it is %s', (rotationDueAt, expected) => {
    expect(rotationDue({ rotationDueAt }, NOW)).toBe(expected);
  });
});
