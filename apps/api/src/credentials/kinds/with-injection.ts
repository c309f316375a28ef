import { requestHeadersToForward, type EgressRequest } from '#egress';
import type { Injection, SignableRequest } from './injection.js';
import { withQuery } from './query.js';

/**
 * The request as it is sent: with the credentials, and without the agent's own values in their place.
 * @param at when it is sent
 * @throws EgressFailure when it can't be signed
 */
export function withInjection(request: SignableRequest, injection: Injection, at: () => Date): EgressRequest {
  const { headers, query, certificate, sign } = injection;
  const url = withQuery(request.url, query);
  const forwarded = { ...requestHeadersToForward(request.headers, Object.keys(headers)), ...headers };
  const { method, body } = request;
  if (sign === undefined) return { url, method, headers: forwarded, body, certificate };
  return { url, method, certificate, ...sign({ url, method, headers: forwarded, body }, at()) };
}
