// Outbound HTTP to untrusted targets: the policy for URLs and addresses, and a client that enforces the policy and its limits. The policy
// lists what is allowed. The text of a target is checked first, and the address of every socket again. This library depends only on undici,
// ipaddr.js and Node, and reads no configuration.
export { isPublicAddress } from './address-policy.js';
export { allowlistKey, assertTargetAllowed, EgressRefusal, type EgressRefusalCode, parseTarget } from './target.js';
export { mayMeanAnother, ServiceBase, WrittenTarget } from './service-base.js';
export { foldCase, fullyDecoded, lenientReadings, pathReadings } from './path.js';
export { EgressFailure, type EgressFailureKind } from './failure.js';
export { systemLookup } from './guarded-lookup.js';
export { NameResolver, type Resolver } from './name-resolver.js';
export { BodyCollector, codingsOf, decodeBody } from './body.js';
export { Exchange, type EgressResponse, type StreamPolicy } from './exchange.js';
export { EgressClient, type EgressClientOptions, type EgressRequest } from './client.js';
export {
  HOP_BY_HOP,
  isValidHeaderName,
  isValidHeaderValue,
  requestHeadersToForward,
  responseHeadersToPass,
} from './headers.js';
