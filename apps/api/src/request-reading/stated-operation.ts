import type { AllowSimilarWithheld } from '#contracts';
import { foldCase } from '#egress';
import { canonicalSteps } from '../egress/canonical-json.js';
import { parseBounded } from '../platform/http/bounded-json.js';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { pathSegments } from './path-template.js';
import { enumerated } from './enumerated.js';
import { objectsIn } from './named-fields.js';
import { jsonSteps } from './request-content.js';
import { graphqlWords, UNREADABLE, type GraphqlRequest } from './graphql-operation.js';
import { isGraphqlSegment, isGraphqlText } from './graphql-text.js';
import { procedureCalls, RPC_SEGMENT } from './rpc-calls.js';
import { contentType, mayBe, requestMethods, type MethodStatement } from './request-methods.js';

/**
 * Where a request names its operation, if not in its method and path. `words` describes the operation if it can be
 * read.
 */
export interface StatedOperation {
  by: Exclude<AllowSimilarWithheld, 'ambiguous_path'>;
  words: string | null;
}

const XML_CALL = /<(?:[\w-]+:)?(?:Envelope|methodCall)\b/i;
const BATCH_SEGMENT = /(?:^[_$]?|:)(?:batch|bulk)(?![^A-Z_-])/;
/** Parameters that name the operation in Amazon's query APIs, MediaWiki, Flickr and others. */
const OPERATION_FIELD = /(?:^|[?&])(?:action|cmd|command|operation|method)=/i;

const WORDS_MAX = 100;
/** Parsing a longer body, or a form with more fields, takes too long. It is only searched for the relevant keys. */
const PARSED_MAX = 1_000_000;
const FIELDS_MAX = 1000;
/** The key of a GraphQL query or a procedure call, or a key with an escaped letter, which could be one. */
const GRAPHQL_KEY = /"(?:query"\s*:|\w{0,4}\\u00[4-7])/i;
const GRAPHQL_FIELD = /(?:^|&)(?:query=|\w{0,4}%[4-7])/i;
const RPC_KEY = /"(?:(?:jsonrpc|params)"\s*:|\w{0,6}\\u00[4-7])/iu;

/** Fields under their names in lower case: some readers, such as Go's, take `Query` for `query`. */
type Fields = Record<string, unknown>;

/** The objects in a JSON body: the body itself, or the items of its array. */
interface JsonCalls {
  calls: readonly Fields[];
  /** A name stands twice, and readers differ in which one they take. */
  isUnclear: boolean;
}

const NO_CALLS: JsonCalls = { calls: [], isUnclear: false };

/** Recognizes GraphQL, JSON-RPC and similar protocols. Null if method and path say what the request does. */
export const statedOperation = (request: MethodStatement): StatedOperation | null => atOnce(statedSteps(request));

/** What `statedOperation` returns. */
export function* statedSteps(request: MethodStatement): ShortSteps<StatedOperation | null> {
  const url = new URL(request.targetUrl);
  const segments = pathSegments(url.pathname);
  const type = contentType(request.headers);
  const json = yield* callsIn(request);
  const form = formIn(request.body, type);
  const hasUnread = (read: unknown, key: RegExp): boolean => read === null && key.test(request.body ?? '');
  const graphql = graphqlDocuments(url, request.body, type, json ?? NO_CALLS, form);
  if (
    graphql !== null ||
    hasUnread(json, GRAPHQL_KEY) ||
    hasUnread(form, GRAPHQL_FIELD) ||
    segments.some(isGraphqlSegment)
  ) {
    return { by: 'graphql', words: graphqlWords(graphql ?? [], WORDS_MAX) };
  }
  const isRpcPlace = segments.some((segment) => RPC_SEGMENT.test(segment));
  const procedures = procedureCalls(json?.calls ?? [], isRpcPlace).map(({ method }) =>
    typeof method === 'string' && !json?.isUnclear ? method : UNREADABLE,
  );
  const isRpc = procedures.length > 0 || hasUnread(json, RPC_KEY) || isRpcPlace;
  if (isRpc || XML_CALL.test(request.body?.slice(0, 2000) ?? '')) {
    return { by: 'rpc', words: procedures.length === 0 ? null : enumerated(procedures, WORDS_MAX, String) };
  }
  if (segments.some((segment) => BATCH_SEGMENT.test(segment))) return { by: 'batch', words: null };
  if (requestMethods(request).length > 1) return { by: 'method_override', words: null };
  const isForm = mayBe(type, 'urlencoded');
  const names = Object.keys(request.headers).some((name) => name.toLowerCase() === 'x-amz-target');
  if (names || OPERATION_FIELD.test(url.search) || (isForm && OPERATION_FIELD.test(request.body ?? ''))) {
    return { by: 'parameter', words: null };
  }
  return null;
}

function graphqlDocuments(
  url: URL,
  body: string | null,
  type: string,
  { calls, isUnclear }: JsonCalls,
  form: URLSearchParams | null,
): GraphqlRequest[] | null {
  if (isUnclear && calls.some((call) => 'query' in call)) return [{ document: null, operationName: null }];
  const isDocument = body !== null && type.includes('application/graphql') && calls.length === 0;
  const places = [
    isDocument ? [{ query: body }] : calls,
    [formFields(url.searchParams)],
    form === null ? [] : [formFields(form)],
  ];
  const naming = places.filter((place) => place.some((fields) => 'operationname' in fields));
  const found = places.flatMap((place) =>
    // Servers differ in which of two names they obey.
    documentsIn(
      place,
      naming.every((each) => each === place),
    ),
  );
  return found.length > 0 ? found : null;
}

/** @param isNamed whether the names of operations count */
const documentsIn = (place: readonly Fields[], isNamed: boolean): GraphqlRequest[] =>
  place.flatMap(({ query, operationname: name }) => {
    const texts = [query].flat().filter((text) => typeof text === 'string' && isGraphqlText(text));
    if (texts.length === 0) return [];
    const document = typeof query === 'string' ? query : null;
    return [{ document, operationName: isNamed && typeof name === 'string' ? name : null }];
  });

/** A field that stands more than once has all its values. */
function formFields(form: URLSearchParams): Fields {
  const fields = new Map<string, string[]>();
  for (const [name, value] of form) {
    const values = fields.get(foldCase(name));
    if (values) values.push(value);
    else fields.set(foldCase(name), [value]);
  }
  return Object.fromEntries(Array.from(fields, ([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/** Null: the body is too large to be read. */
function* callsIn(request: MethodStatement): ShortSteps<JsonCalls | null> {
  const { body } = request;
  if (body !== null && body.length > PARSED_MAX) return null;
  if (body === null || !/^\s*[[{]/.test(body)) return NO_CALLS;
  const exact = yield* jsonSteps(request);
  if (!('fault' in exact)) return { calls: yield* objectsIn<unknown>(exact.value, NAMES), isUnclear: false };
  const read = parseBounded(body);
  if (typeof read === 'string') return read === 'no JSON' ? NO_CALLS : null;
  const calls = yield* objectsIn(read.value, NAMES);
  const mayStateOperation = calls.some((call) => 'query' in call || 'method' in call);
  return {
    calls,
    isUnclear: mayStateOperation && (yield* canonicalSteps(body, null, { isExact: true })) === null,
  };
}

/** The fields that name operations. */
const NAMES: ReadonlySet<string> = new Set(['query', 'operationname', 'jsonrpc', 'method', 'params', 'id']);

/** The fields of a form. Null: it is too large to be read. */
function formIn(body: string | null, type: string): URLSearchParams | null {
  if (body === null || !mayBe(type, 'urlencoded')) return new URLSearchParams();
  const isLarge = body.length > PARSED_MAX || body.split('&', FIELDS_MAX + 1).length > FIELDS_MAX;
  return isLarge ? null : new URLSearchParams(body);
}
