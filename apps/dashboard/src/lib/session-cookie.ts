import { REFRESHING_COOKIE } from '#contracts/headers';
import { exclusively } from './exclusive.js';
import { CallFailed } from './transport.js';

/**
 * Even a busy server responds within this time, so a request that takes longer was lost. A shorter time would end the
 * session of a tab that is reloaded while a slow request is in progress.
 */
const PATIENCE_SECONDS = 20;
const LOOK_MS = 25;
/** A page that is left is gone within this time. A page that stays must not keep others waiting for long. */
const LEAVING_MS = 250;

/**
 * Runs requests that replace the refresh token one at a time across all tabs. A reloaded page releases the lock while
 * its request continues and uses up the token. Another tab that sends the same token again would end the session. So a
 * cookie marks a request in progress. The response removes the cookie, even if the page is gone (ADR 0023).
 */
export function replacingToken<T>(request: () => Promise<T>): Promise<T> {
  return exclusively('agw-refresh', async () => {
    while (document.cookie.includes(REFRESHING_COOKIE)) await wait(LOOK_MS);
    mark(PATIENCE_SECONDS);
    try {
      return await request();
    } catch (error) {
      // When a page is left, its request fails for the page, sometimes before `pagehide`, but continues. The timers of
      // such a page never fire, so its cookie stays until the response comes.
      if (!(error instanceof CallFailed) || !error.answer) await wait(LEAVING_MS);
      throw error;
    } finally {
      mark(0);
    }
  });
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function mark(seconds: number): void {
  document.cookie = `${REFRESHING_COOKIE}=1; Path=/dashboard; SameSite=Strict; Max-Age=${seconds}`;
}
