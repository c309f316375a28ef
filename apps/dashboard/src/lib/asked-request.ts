/** The request of a service test, as the gateway sends it. Without a path it asks the base URL itself. */
export const askedRequest = (baseUrl: string, path: string | null): string =>
  `GET ${path ? baseUrl.replace(/\/+$/, '') + path : baseUrl}`;
