import type { Page } from 'playwright-core';

/**
 * Everything of a page that a stranger at the screen, an extension or the next user of the browser could read: the document with the
 * values of its fields, storage, caches, databases, script-readable cookies, the URL and the history's state.
 */
export const traces = (page: Page): Promise<string> =>
  page.evaluate<string>(`(async () => JSON.stringify([
    document.documentElement.outerHTML,
    [...document.querySelectorAll('input, textarea, select')].map((field) => field.value),
    { ...localStorage },
    { ...sessionStorage },
    await indexedDB.databases(),
    await caches.keys(),
    document.cookie,
    document.title,
    location.href,
    history.state,
  ]))()`);
