import { toPossibility } from './possibility.js';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile Safari/604.1';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15';
const modern = { isSecure: true, hasPush: true, permission: 'default', userAgent: MAC, touchPoints: 0 } as const;

it.each([
  ['a browser that has not asked yet', {}, 'possible'],
  ['a browser that may', { permission: 'granted' }, 'possible'],
  ['a browser that may not', { permission: 'denied' }, 'blocked'],
  ['a page over http, where browsers hide everything', { isSecure: false, hasPush: false }, 'insecure'],
  ['an iPhone outside the home screen', { hasPush: false, userAgent: IPHONE, touchPoints: 5 }, 'install'],
  ['an iPad, which calls itself a Mac', { hasPush: false, touchPoints: 5 }, 'install'],
  ['an iPhone on the home screen', { userAgent: IPHONE, touchPoints: 5 }, 'possible'],
  ['an old browser', { hasPush: false }, 'none'],
] as const)('%s', (_what, more, expected) => {
  expect(toPossibility({ ...modern, ...more })).toBe(expected);
});
