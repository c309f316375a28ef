import { isDeepStrictEqual } from 'node:util';
import type { UpdateServiceRequest } from '#contracts';
import type { ServiceEntity } from '#database';
import { assertOAuth } from '../connections/oauth-rules.js';
import { assertAuth } from '../credentials/kinds/auth-rules.js';

/** What decides where and how the secrets of a service are sent. */
export type Sending = Pick<ServiceEntity, 'authType' | 'auth' | 'baseUrl' | 'oauth'>;

/** After a change. @throws ApiError 400 unless the parts fit together */
export function sendingAfter(service: Sending, request: UpdateServiceRequest): Sending {
  const next: Sending = {
    authType: request.authType ?? service.authType,
    auth: request.auth === undefined ? service.auth : request.auth,
    baseUrl: request.baseUrl ?? service.baseUrl,
    oauth: request.oauth === undefined ? service.oauth : request.oauth,
  };
  assertAuth(next);
  assertOAuth(next.authType, next.oauth);
  return next;
}

/** Whether a change can weaken protection, so that a person must confirm it where the workspace asks for this. */
export function isWeaker(
  service: ServiceEntity,
  next: Sending,
  { name, newCredentials = {}, requestCodings, askFor, isPaused }: UpdateServiceRequest,
): boolean {
  const { authType, auth, baseUrl, oauth } = service;
  return (
    !isDeepStrictEqual(next, { authType, auth, baseUrl, oauth }) ||
    // They are sent with each request.
    Object.keys(newCredentials).length > 0 ||
    // Coded bytes can say more than people and the model see. `null` may mean the same.
    (requestCodings !== undefined && requestCodings !== 'decode' && requestCodings !== service.requestCodings) ||
    (askFor !== undefined && service.askFor.some((effect) => !askFor.includes(effect))) ||
    // The model reads the name, and requests below `/s/<name>` go to whoever has it.
    (name !== undefined && name !== service.name) ||
    (isPaused === false && service.pausedAt !== null)
  );
}
