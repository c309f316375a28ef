// Outbound HTTP to untrusted targets: the policy for URLs and addresses, and a client that enforces the policy and its
// limits. The policy lists what is allowed. The text of a target is checked first, and the address of every socket
// again. This library depends only on undici, ipaddr.js and Node, and reads no configuration.
export { allowlistKey, assertTargetAllowed, EgressRefusal, parseTarget, parseUrl } from './target.js';
export { mayMeanAnother, ServiceBase, WrittenTarget } from './service-base.js';
export {
  foldCase,
  fullyDecoded,
  lenientReadings,
  parseBase,
  pathReadings,
  strictReadings,
  widestReading,
} from './path.js';
export { EgressFailure } from './failure.js';
export { systemLookup } from './guarded-lookup.js';
export { type Resolver } from './name-resolver.js';
export { BodyCollector, decodeBody, parseCodings } from './body.js';
export { Exchange, type EgressResponse, type StreamPolicy } from './exchange.js';
export { type BodyRoom, type Sender, type Turn } from './pace.js';
export { decoderBytes, type ResponseStream } from './response-stream.js';
export { EgressClient, type EgressRequest } from './client.js';
export { writtenPath } from './written-path.js';
export {
  HOP_BY_HOP,
  isValidHeaderName,
  isValidHeaderValue,
  requestHeadersToForward,
  responseHeadersToPass,
} from './headers.js';
