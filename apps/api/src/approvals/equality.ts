import { createHash, hash } from 'node:crypto';
import type { HttpMethod } from '#contracts';
import { widestReading } from '#egress';
import { canonicalForm, oneSpelling } from '../egress/canonical-form.js';
import { comparedBody } from '../egress/compared-body.js';
import type { Payload } from '../egress/payload.js';
import { requestMethods } from '../services/request-methods.js';

/** What is compared of a request: what goes out. */
export interface Compared {
  serviceId: number;
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
export const targetHash = ({ serviceId, url }: Pick<Compared, 'serviceId' | 'url'>): string =>
  hash('sha256', `${serviceId} ${url.origin}${widestReading(url.pathname)}?${queryOf(url)}`, 'hex');

/**
 * Identifies what a denial holds: SHA-256 hex over service, method, URL, content type and body, and once more for each
 * other method that the request states. Two requests are equal if they share one of them. The last one is also over the
 * path as it is written: an approval lifts a denial only for requests whose hashes it has all.
 * See docs/reference/states.md#standing-denial.
 */
export function denialHashes(compared: Compared): string[] {
  const { method, url, headers, body } = compared;
  const content = hashOfBody(compared);
  const place = targetHash(compared);
  const stated = requestMethods({ method, targetUrl: url.href, headers, body: body?.judged ?? null });
  const methods = [...new Set<string>([method, ...stated, ...overrides(headers)])];
  return [
    ...methods.map((each) => `${each} ${place} ${content}`),
    `${methods.sort().join()} ${exactPath(url)} ${place} ${content}`,
  ].map((text) => hash('sha256', text, 'hex'));
}

/** Identifies requests that are one action while it waits: the forwarded headers count too, apart from telemetry. */
export function joiningHash(compared: Compared): string {
  const { serviceId, method, url, headers } = compared;
  const counted = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value])
    .filter(([name]) => !isTelemetry(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const place = `${url.origin}${exactPath(url)}`;
  return hash('sha256', JSON.stringify([serviceId, method, place, queryOf(url), counted, hashOfBody(compared)]), 'hex');
}

function hashOfBody({ headers, body }: Pick<Compared, 'headers' | 'body'>): string {
  const made = createHash('sha256');
  const type = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'content-type')
    .map(([, value]) => value);
  const compared = body && { bytes: body.compared, text: body.text };
  for (const part of comparedBody(compared, type.join(', '))) {
    made.update(`${Buffer.byteLength(part)}\n`).update(part);
  }
  return made.digest('hex');
}

const exactPath = ({ pathname }: URL): string => pathname.split('/').map(oneSpelling).join('/');

const queryOf = ({ search }: URL): string => (search === '' ? '' : canonicalForm(search.slice(1)));

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
