import type { Page } from 'playwright-core';

/**
 * All data of a page that a person at the screen, an extension or the next user of the browser could read: the document
 * with its field values, storage, caches, databases, readable cookies, the URL and the history state.
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
