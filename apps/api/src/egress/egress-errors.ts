import { assertTargetAllowed, EgressFailure, EgressRefusal, type EgressClient } from '#egress';
import type { EgressConfig } from '../platform/config.js';
import { errors, type ApiError } from '../platform/errors.js';
import { mayUsePrivateTargets, type ServiceOwner } from './private-targets.js';

/** The guard's refusal as 400 or 403 (docs/reference/egress.md#below-base-url). */
export function refusalError(refusal: EgressRefusal): ApiError {
  switch (refusal.code) {
    case 'invalid_url':
    case 'user_info':
      return errors.invalid(refusal.message);
    case 'scheme':
      return errors.onlyHttp();
    case 'host_mismatch':
    case 'path_mismatch':
      return errors.outsideService(refusal.message);
    case 'private_address':
    case 'localhost':
    case 'own_address':
      return errors.egressBlocked(refusal.message);
  }
}

/** A request without a usable answer as 403, 413, 502 or 504 (docs/reference/egress.md#failures). */
export function failureError(host: string, failure: EgressFailure): ApiError {
  switch (failure.kind) {
    case 'refused_address':
      return errors.egressBlocked(failure.reason);
    case 'timeout':
      return errors.upstreamTimeout();
    case 'too_large':
      return errors.responseTooLarge();
    case 'not_sent':
    case 'no_answer':
      return errors.forwardFailed(host, failure.reason, failure.sent);
  }
}

export interface TargetService {
  baseUrl: string;
  owner: ServiceOwner;
}

/** Checks the text of a target. @throws ApiError 400, 403 @returns the URL to connect to */
export function guardTarget(targetUrl: string, service: TargetService, config: EgressConfig): URL {
  try {
    return assertTargetAllowed(targetUrl, service.baseUrl, {
      privateAllowlist: config.privateTargetAllowlist,
      mayUsePrivate: mayUsePrivateTargets(service.owner, config),
      ownTargets: config.ownTargets,
    });
  } catch (error) {
    throw error instanceof EgressRefusal ? refusalError(error) : error;
  }
}

/** Checks every address that the name resolves to, without sending anything. @throws ApiError 403, 502, 504 */
export async function guardAddress(url: URL, egress: EgressClient): Promise<void> {
  try {
    await egress.resolveChecked(url);
  } catch (error) {
    throw error instanceof EgressFailure ? failureError(url.hostname, error) : error;
  }
}
