/** The gateway's base URLs for services start with this path. */
const SERVICE_PATH_PREFIX = '/s/';

/** Whether a request came through the base URL of a service. Like the router, it ignores letter case. */
export const isBaseUrlRequest = (url: string): boolean =>
  url.slice(0, SERVICE_PATH_PREFIX.length).toLowerCase() === SERVICE_PATH_PREFIX;
