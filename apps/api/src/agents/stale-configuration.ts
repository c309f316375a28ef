/**
 * Thrown before anything is sent, when the configuration that a request was judged by has changed meanwhile: the request
 * is judged again.
 */
export class StaleConfiguration extends Error {
  constructor(readonly epoch: string) {
    super('the configuration has changed');
  }
}
