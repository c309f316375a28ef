import type { Payload } from '../egress/payload.js';
import { AWS_CHUNKED } from '../egress/aws-chunks.js';
import { ApiError, errors } from '../platform/errors.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { ProxyCall } from './proxy-call.js';

/**
 * The call with the body and headers that are sent, so that rules, the model, people, digest and equality see them.
 * Most servers read a coded body before they undo its coding, and coded bytes can say more than their content
 * (docs/reference/egress.md#request-codings).
 * @throws ApiError 400, 415
 */
export function withOutgoingBody(call: ProxyCall, service: ServiceView): ProxyCall {
  const { body } = call;
  if (body === null || body.coding === null) return call;
  const { names, isExact, checksums } = body.coding;
  if (checksums !== null && !isSignedByAws(service)) {
    throw new ApiError(415, `Content-Encoding: ${AWS_CHUNKED} is for services with AWS Signature V4`);
  }
  const isKept = names.length > 0 && service.requestCodings === 'keep';
  if (isKept && !isExact) throw errors.invalid(NOT_EXACT);
  const dropped = [
    CODING,
    ...(checksums === null ? [] : [FRAMING]),
    // They are those of the coded bytes.
    ...(names.length === 0 || isKept ? [] : [DIGEST]),
  ];
  const kept = Object.entries(call.headers).filter(([name]) => !dropped.some((pattern) => pattern.test(name)));
  return {
    ...call,
    body: names.length === 0 || isKept ? body.unframed() : body.decoded(),
    headers: {
      ...withoutNames(Object.fromEntries(kept), checksums ?? {}),
      ...(isKept && { 'Content-Encoding': names[0] }),
      ...checksums,
    },
  };
}

/**
 * Whether a stored body may be sent. One that an earlier version stored may have a coding that the service does not
 * keep: what its approver saw is not what would be sent.
 */
export function mayBeSent({ coding, isRefused }: Payload, service: ServiceView): boolean {
  if (coding === null) return !isRefused;
  return coding.checksums === null && coding.isExact && service.requestCodings === 'keep';
}

const NOT_EXACT =
  'body: this service gets bodies with their coding, so it must be exactly one gzip member without optional header fields, ' +
  'or one zlib or br stream, with nothing after it';

const isSignedByAws = ({ auth }: ServiceView): boolean => auth?.aws !== undefined;

const CODING = /^content-encoding$/i;
/** Headers that describe the chunks to S3. */
const FRAMING = /^(?:x-amz-decoded-content-length|x-amz-trailer)$/i;
const DIGEST =
  /^(?:content-md5|digest|content-digest|repr-digest|x-amz-checksum-.*|x-goog-hash|x-ms-content-(?:crc64|md5)|x-ms-blob-content-md5|x-bz-content-sha1)$/i;

const withoutNames = (headers: Record<string, string>, names: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !Object.hasOwn(names, name.toLowerCase())));
