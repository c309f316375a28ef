import type { AllowSimilarWithheld } from '#contracts';
import { parseBounded } from '../platform/http/bounded-json.js';
import { pathSegments } from './documentation/path-template.js';
import { enumerated } from './enumerated.js';
import { graphqlWords, type GraphqlRequest } from './graphql-operation.js';
import { contentType, mayBe, requestMethods, type MethodStatement } from './request-methods.js';

/**
 * Where a request names its operation, if not in its method and path. `words` describes the operation if it can be
 * read.
 */
export interface StatedOperation {
  by: Exclude<AllowSimilarWithheld, 'ambiguous_path'>;
  words: string | null;
}

const GRAPHQL_SEGMENT = /^(?:graphql|gql)(?:\.\w+)?$/i;
const GRAPHQL_TEXT = /(?:(?:query|mutation|subscription|fragment)\b[^{]*)?\{/y;
const BLANKS = /[\s,\ufeff]*/y;
const RPC_SEGMENT = /^(?:(?:json|xml)-?rpc|rpc|mcp|soap)(?:\.\w+)?$/i;
const XML_CALL = /<(?:[\w-]+:)?(?:Envelope|methodCall)\b/i;
const BATCH_SEGMENT = /(?:^[_$]?|:)(?:batch|bulk)(?![^A-Z_-])/;
/** Parameters that name the operation in Amazon's query APIs, MediaWiki, Flickr and others. */
const OPERATION_FIELD = /(?:^|[?&])(?:action|cmd|command|operation|method)=/i;

const WORDS_MAX = 100;
/** Parsing a longer body, or a form with more fields, takes too long. It is only searched for the relevant keys. */
const PARSED_MAX = 1_000_000;
const FIELDS_MAX = 1000;
/** The key of a GraphQL query or a procedure call, or a key with an escaped letter, which could be one. */
const GRAPHQL_KEY = /"(?:query"\s*:|\w{0,4}\\u00[67])/;
const GRAPHQL_FIELD = /(?:^|&)(?:query=|\w{0,4}%[67])/;
const RPC_KEY = /"(?:(?:jsonrpc|params)"\s*:|\w{0,6}\\u00[67])/;

/** Recognizes GraphQL, JSON-RPC and similar protocols. Null if method and path say what the request does. */
export function statedOperation(request: MethodStatement): StatedOperation | null {
  const url = new URL(request.targetUrl);
  const segments = pathSegments(url.pathname);
  const type = contentType(request.headers);
  const calls = callsIn(request.body);
  const form = formIn(request.body, type);
  const hasUnread = (read: unknown, key: RegExp): boolean => read === null && key.test(request.body ?? '');
  const graphql = graphqlDocuments(url, request.body, type, calls ?? [], form);
  if (
    graphql !== null ||
    hasUnread(calls, GRAPHQL_KEY) ||
    hasUnread(form, GRAPHQL_FIELD) ||
    segments.some((segment) => GRAPHQL_SEGMENT.test(segment))
  ) {
    return { by: 'graphql', words: graphqlWords(graphql ?? [], WORDS_MAX) };
  }
  const procedures = (calls ?? []).flatMap((call) => (isProcedureCall(call) ? [String(call.method)] : []));
  const isRpc =
    procedures.length > 0 || hasUnread(calls, RPC_KEY) || segments.some((segment) => RPC_SEGMENT.test(segment));
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
  calls: readonly Record<string, unknown>[],
  form: URLSearchParams | null,
): GraphqlRequest[] | null {
  if (body !== null && type.includes('application/graphql') && calls.length === 0) {
    return [{ document: body, operationName: url.searchParams.get('operationName') }];
  }
  const written = [...calls, ...[url.searchParams, form].map((each) => Object.fromEntries(each ?? []))];
  const found = written.flatMap(({ query, operationName }) =>
    typeof query === 'string' && isGraphqlText(query)
      ? [{ document: query, operationName: typeof operationName === 'string' ? operationName : null }]
      : [],
  );
  return found.length > 0 ? found : null;
}

/** Skips comments one by one. A regular expression for all of them would use stack space for each. */
function isGraphqlText(text: string): boolean {
  let at = 0;
  for (;;) {
    BLANKS.lastIndex = at;
    BLANKS.test(text);
    at = BLANKS.lastIndex;
    if (text[at] !== '#') break;
    at = text.indexOf('\n', at);
    if (at === -1) return false;
  }
  GRAPHQL_TEXT.lastIndex = at;
  return GRAPHQL_TEXT.test(text);
}

/** The objects in a JSON body: the body itself, or the items of its array. Null: it is too large to be read. */
function callsIn(body: string | null): Record<string, unknown>[] | null {
  if (body !== null && body.length > PARSED_MAX) return null;
  if (body === null || !/^\s*[[{]/.test(body)) return [];
  const read = parseBounded(body);
  if (typeof read === 'string') return read === 'no JSON' ? [] : null;
  return [read.value]
    .flat()
    .filter((call): call is Record<string, unknown> => typeof call === 'object' && call !== null);
}

/** The fields of a form. Null: it is too large to be read. */
function formIn(body: string | null, type: string): URLSearchParams | null {
  if (body === null || !mayBe(type, 'urlencoded')) return new URLSearchParams();
  const isLarge = body.length > PARSED_MAX || body.split('&', FIELDS_MAX + 1).length > FIELDS_MAX;
  return isLarge ? null : new URLSearchParams(body);
}

const isProcedureCall = (call: Record<string, unknown>): boolean =>
  typeof call.method === 'string' && ('jsonrpc' in call || ('params' in call && 'id' in call));
