import { ApiError, errors } from '../platform/errors.js';

/**
 * Thrown before anything is sent: the agent, the service or its token has changed since the request was reviewed. The request is
 * reviewed again. It fails with this error only when the configuration keeps changing. See
 * docs/reference/agent-api.md#freshness.
 */
export class StaleConfiguration extends ApiError {
  /** @param renewedServiceId the service for which this request has just renewed the token */
  constructor(readonly renewedServiceId?: number) {
    const { statusCode, message, headers } = errors.configurationBusy();
    super(statusCode, message, { headers });
  }
}

export const isStale = (error: unknown): boolean => error instanceof StaleConfiguration;
