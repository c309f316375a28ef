import type { Page } from 'playwright-core';

type NewService = { baseUrl: string };

/** Services that the page adds from the catalogue get this base URL, because tests have no internet. */
export const bringHome = (page: Page, baseUrl: string) =>
  page.route(/\/services(\/test)?$/, async (route) => {
    const request = route.request();
    if (request.method() !== 'POST') return route.continue();
    const body = request.postDataJSON() as NewService & { service?: NewService };
    const changed = body.service ? { ...body, service: { ...body.service, baseUrl } } : { ...body, baseUrl };
    await route.continue({ postData: JSON.stringify(changed) });
  });
