import { responseHeadersToPass, type EgressResponse } from '#egress';
import type { Answer } from '../egress/answer.js';
import { ofChangedBody, withoutDigests } from '../egress/companions.js';
import { withPlacedLinks } from '../egress/header-links.js';
import type { Redactor } from '../egress/redaction.js';
import type { ShortSteps } from '../platform/short-steps.js';
import { ServiceLinks } from '../egress/service-links.js';
import { RATE_LIMIT_FIELDS } from '../risk/limits/limit-headers.js';
import type { Departure } from './departure.js';

/** Base URLs need this header, because they rewrite the link in it. `writeOutcome` drops it elsewhere. */
const PASSED: ReadonlySet<string> = new Set(['refresh']);
const PASSED_ON_HEAD: ReadonlySet<string> = new Set([...PASSED, 'content-length']);

type Asked = Pick<Departure, 'method' | 'url' | 'service' | 'limits'>;

export const isEventStream = (headers: Answer['headers']): boolean =>
  headers.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && /^\s*text\/event-stream\s*(;|$)/i.test(value),
  );

/** The upstream's answer as it is stored and passed on: redacted, and with headers that fit what is left. */
export function* passedAnswer(asked: Asked, response: EgressResponse, redactor: Redactor): ShortSteps<Answer> {
  const { status, body } = response;
  const given = { fromUpstream: true, status, headers: passedHeaders(asked, response), body };
  const answer = yield* redactor.redact(given);
  const isChanged = answer.body !== body || response.codings === 'undone';
  return { ...answer, headers: placedHeaders(asked, isChanged ? ofChangedBody(answer.headers) : answer.headers) };
}

/** The headers of an answer that is redacted while it is passed on: without digests, because its body may change. */
export function* streamedHeaders(
  asked: Asked,
  response: EgressResponse,
  redactor: Redactor,
): ShortSteps<Answer['headers']> {
  const passed = yield* redactor.redactHeaders(passedHeaders(asked, response));
  return placedHeaders(asked, response.codings === 'undone' ? ofChangedBody(passed) : withoutDigests(passed));
}

function passedHeaders({ method, limits }: Asked, { headers, codings }: EgressResponse): Answer['headers'] {
  // A HEAD asks for the length, so the length is passed on, unless it counts bytes that a GET would decode.
  const passedToo = method === 'HEAD' && codings !== 'undone' ? PASSED_ON_HEAD : PASSED;
  const passed = responseHeadersToPass(
    headers,
    codings === 'kept' ? new Set([...passedToo, 'content-encoding']) : passedToo,
  );
  return limits.length === 0 ? passed : passed.filter(([name]) => !RATE_LIMIT_FIELDS.has(name.toLowerCase()));
}

const placedHeaders = ({ url, service }: Asked, headers: Answer['headers']): Answer['headers'] =>
  withPlacedLinks(headers, () => new ServiceLinks(service.baseUrl, url.href));
