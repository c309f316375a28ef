/**
 * Thrown before anything is sent, if the agent or the service has changed since the decision about the request. The gateway then
 * decides again.
 */
export class StaleConfiguration extends Error {
  constructor() {
    super('the agent or the service has changed');
  }
}
