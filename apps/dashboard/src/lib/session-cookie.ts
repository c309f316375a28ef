import { REFRESHING_COOKIE } from '#contracts/headers';
import { exclusively } from './exclusive.js';

/**
 * Even a busy server responds within this time, so a request that takes longer was lost. A shorter time would end the
 * session of a tab that is reloaded while a slow request is in progress.
 */
const PATIENCE_SECONDS = 20;
const LOOK_MS = 25;

let leaving = false;
// Unit tests load this file outside a browser.
if (typeof addEventListener === 'function') {
  addEventListener('pagehide', () => (leaving = true));
  addEventListener('pageshow', () => (leaving = false));
}

/**
 * Runs requests that replace the refresh token one at a time across all tabs. A reloaded page releases the lock while
 * its request continues and uses up the token. Another tab that sends the same token again would end the session. So a
 * cookie marks a request in progress. The response removes the cookie, even if the page is gone (ADR 0023).
 */
export function replacingToken<T>(request: () => Promise<T>): Promise<T> {
  return exclusively('agw-refresh', async () => {
    while (document.cookie.includes(REFRESHING_COOKIE)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    mark(PATIENCE_SECONDS);
    try {
      return await request();
    } finally {
      // A page that is closing sees its request fail, although the request continues.
      if (!leaving) mark(0);
    }
  });
}

function mark(seconds: number): void {
  document.cookie = `${REFRESHING_COOKIE}=1; Path=/dashboard; SameSite=Strict; Max-Age=${seconds}`;
}
