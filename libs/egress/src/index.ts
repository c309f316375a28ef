// Outbound HTTP to untrusted targets: which URLs and addresses may be reached, and a client that keeps to that and to its limits.
// Policy is stated as what is allowed; the text of a target is checked first, every socket's address again.
// A leaf: depends on undici, ipaddr.js and Node only, and reads no configuration.
export { isPublicAddress } from './address-policy.js';
export { allowlistKey, assertTargetAllowed, EgressRefusal, type EgressRefusalCode, parseTarget } from './target.js';
export { mayMeanAnother, ServiceBase, WrittenTarget } from './service-base.js';
export { foldCase, fullyDecoded, lenientReadings, pathReadings } from './path.js';
export { EgressFailure, type EgressFailureKind } from './failure.js';
export { systemLookup } from './guarded-lookup.js';
export { NameResolver, type Resolver } from './name-resolver.js';
export { Exchange, type EgressResponse } from './exchange.js';
export { EgressClient, type EgressClientOptions, type EgressRequest } from './client.js';
export {
  HOP_BY_HOP,
  isValidHeaderName,
  isValidHeaderValue,
  requestHeadersToForward,
  responseHeadersToPass,
} from './headers.js';
