import { REFRESHING_COOKIE } from '#contracts/headers';
import { exclusively } from './exclusive.js';

/** The server answers within seconds; what takes longer was lost with its network. */
const PATIENCE_SECONDS = 5;
const LOOK_MS = 25;

let leaving = false;
// Unit tests load this file outside of a browser.
if (typeof addEventListener === 'function') {
  addEventListener('pagehide', () => (leaving = true));
  addEventListener('pageshow', () => (leaving = false));
}

/**
 * For requests that replace the refresh token: one at a time over all tabs. A page that is reloaded lets go of the lock while its
 * request goes on, which has spent the token; whoever sends that one again ends the session. So a mark stands while a request is under
 * way, and its answer takes it away, also where no page is left to receive it (ADR 0023).
 */
export function replacingToken<T>(request: () => Promise<T>): Promise<T> {
  return exclusively('agw-refresh', async () => {
    while (document.cookie.includes(REFRESHING_COOKIE)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    mark(PATIENCE_SECONDS);
    try {
      return await request();
    } finally {
      // A page on its way out sees its request fail, though the request goes on.
      if (!leaving) mark(0);
    }
  });
}

function mark(seconds: number): void {
  document.cookie = `${REFRESHING_COOKIE}=1; Path=/dashboard; SameSite=Strict; Max-Age=${seconds}`;
}
