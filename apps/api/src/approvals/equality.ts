import { createHash, hash } from 'node:crypto';
import type { HttpMethod } from '#contracts';
import { widestReading } from '#egress';
import { canonicalForm } from '../egress/canonical-form.js';
import { exactBody, widestBodies } from '../egress/compared-body.js';
import type { Payload } from '../egress/payload.js';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { requestMethods, statedType } from '../request-reading/request-methods.js';

/** The parts of a request that are compared: those that are sent to the upstream. */
export interface Compared {
  serviceId: number;
  /** Whether AWS signs the requests of the service: its SDKs send new tokens with each attempt. */
  isAws: boolean;
  method: HttpMethod;
  url: URL;
  /** Those that are forwarded. */
  headers: Record<string, string>;
  body: Payload | null;
}

/**
 * The place that a request goes to. Requests that equal each other have the same place. It costs little, so it is
 * compared first.
 */
export const targetHash = ({ serviceId, isAws, url }: Pick<Compared, 'serviceId' | 'isAws' | 'url'>): string =>
  hash('sha256', `${serviceId} ${url.origin}${widestReading(url.pathname)}?${canonicalQuery(url, isAws)}`, 'hex');

/**
 * Identifies the requests that a denial holds, by SHA-256 hashes in hex. Each hash except the last covers service,
 * method, URL, content type and body. There is one such hash for each combination of a method (its own, or another one
 * that the request states) and a reading of its body. Two requests are equal if they share one hash, so a denial holds
 * everything that any server may take for the same request. The last hash is made from `joiningHash`. It makes
 * approvals narrower: an approval lifts a denial only if it has all hashes of the denied request, or all hashes of the
 * new request. See docs/reference/states.md#standing-denial.
 */
export const denialHashes = (compared: Compared): string[] => atOnce(denialHashSteps(compared));

/** What `denialHashes` returns. */
export function* denialHashSteps(compared: Compared): ShortSteps<string[]> {
  const { method, url, headers, body } = compared;
  const place = targetHash(compared);
  const stated = requestMethods({ method, targetUrl: url.href, headers, body: body?.judged ?? null });
  const methods = new Set<string>([method, ...stated, ...overrides(headers)]);
  const bodies = yield* widestBodies(toContent(compared), statedType(compared.headers), compared.isAws);
  yield;
  const contents = bodies.map(hashParts);
  const joining = yield* joiningHashSteps(compared);
  return [
    ...[...methods].flatMap((each) => contents.map((content) => `${each} ${place} ${content}`)),
    `exactly ${place} ${joining}`,
  ].map((text) => hash('sha256', text, 'hex'));
}

/** Identifies requests that are one action while it waits: the forwarded headers count too, apart from telemetry. */
export const joiningHash = (compared: Compared): string => atOnce(joiningHashSteps(compared));

/** What `joiningHash` returns. */
export function* joiningHashSteps(compared: Compared): ShortSteps<string> {
  const { serviceId, isAws, method, url, headers } = compared;
  const counted = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value])
    .filter(([name]) => !isTelemetry(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const place = [url.origin, unescaped(url.pathname), isAws ? canonicalQuery(url, true) : unescaped(url.search)];
  const content = hashParts(yield* exactBody(toContent(compared), statedType(compared.headers), isAws));
  return hash('sha256', JSON.stringify([serviceId, method, place, counted, content]), 'hex');
}

const toContent = ({ body }: Compared) => body && { bytes: body.compared, text: body.text };

function hashParts(parts: (string | Buffer)[]): string {
  const made = createHash('sha256');
  for (const part of parts) made.update(`${Buffer.byteLength(part)}\n`).update(part);
  return made.digest('hex');
}

const canonicalQuery = ({ search }: URL, isAws: boolean): string =>
  search === '' ? '' : canonicalForm(search.slice(1), isAws);

/** Without percent-encoding of what never needs it. All servers read it alike (RFC 3986, section 6.2.2). */
const unescaped = (text: string): string =>
  text.replace(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });

const OVERRIDE = /^x-(?:http-)?method(?:-override)?$/;

/** The methods that a header asks an upstream to use instead. */
const overrides = (headers: Record<string, string>): string[] =>
  Object.entries(headers)
    .filter(([name]) => OVERRIDE.test(name.toLowerCase().replace(/[^a-z0-9]/g, '-')))
    .map(([, value]) => value.trim().toUpperCase());

const TELEMETRY: ReadonlySet<string> = new Set([
  'user-agent',
  'date',
  'accept-language',
  'cache-control',
  'pragma',
  'time-zone',
  'idempotency-key',
  'x-request-id',
  'x-correlation-id',
  'x-client-request-id',
  'traceparent',
  'tracestate',
  'baggage',
  'x-goog-api-client',
  // The body is compared itself.
  'content-type',
  'content-encoding',
  'content-md5',
  'digest',
  'content-digest',
  'repr-digest',
  // The gateway signs anew.
  'x-amz-date',
  'x-amz-content-sha256',
  'x-amz-security-token',
  'x-amz-decoded-content-length',
  'x-amz-trailer',
  'x-amz-sdk-checksum-algorithm',
]);
const TELEMETRY_PREFIX = /^(?:sec-fetch-|x-stainless-|kubectl-|amz-sdk-|x-amz-checksum-)/;

/** Headers that clients choose anew for each attempt. */
const isTelemetry = (name: string): boolean => TELEMETRY.has(name) || TELEMETRY_PREFIX.test(name);
