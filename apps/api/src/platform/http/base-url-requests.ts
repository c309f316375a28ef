/** Where the base URLs of services stand on the gateway. */
export const SERVICE_PATH_PREFIX = '/s/';

/** Whether a request came through the base URL of a service. As the router reads it: the case makes no difference. */
export const isBaseUrlRequest = (url: string): boolean =>
  url.slice(0, SERVICE_PATH_PREFIX.length).toLowerCase() === SERVICE_PATH_PREFIX;
