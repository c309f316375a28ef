import { nextPath } from './next-path.js';

describe('nextPath', () => {
  it('keeps a path with its query', () => {
    expect(nextPath('/approvals/1?risk=high#x')).toBe('/approvals/1?risk=high#x');
  });

  it.each([
    null,
    '',
    'https://evil.test/',
    '//evil.test/x',
    '/\\evil.test',
    '\\\\evil.test',
    'javascript:alert(1)',
    '/\t/evil.test',
    '/..//evil.test',
  ])('uses the inbox for %j', (next) => {
    expect(nextPath(next)).toBe('/approvals');
  });
});
