import { isRepeatable } from '../egress/repeatable.js';
import { requestMethods, type MethodStatement } from './request-methods.js';

/**
 * Whether a request may be sent again when the gateway cannot tell if the upstream received it. One that states another
 * method may not: nobody knows which of them the upstream obeys, and some methods are unknown. See
 * docs/reference/states.md#after-sending.
 */
export const isRepeatableRequest = (request: MethodStatement): boolean =>
  isRepeatable(request.method) && requestMethods(request).length === 1;
