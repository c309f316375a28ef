/** A URL may contain a password, or a key in its query. Returns the part that may be shown. */
export const withoutSecrets = (url: string): string =>
  url.replace(/\/\/[^/@]*@/, '//').replace(/([?&](?!api-version=)[^=&]*=)[^&]*/g, '$1***');
