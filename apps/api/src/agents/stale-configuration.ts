/**
 * Thrown before anything is sent: the agent or the service of a request has changed since the request was judged. The
 * request is judged again.
 */
export class StaleConfiguration extends Error {
  constructor() {
    super('the agent or the service has changed');
  }
}
