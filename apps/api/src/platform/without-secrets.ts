/** A URL may contain a password, or a key in its query. This is what may be shown of it. */
export const withoutSecrets = (url: string): string =>
  url.replace(/\/\/[^/@]*@/, '//').replace(/([?&](?!api-version=)[^=&]*=)[^&]*/g, '$1***');
