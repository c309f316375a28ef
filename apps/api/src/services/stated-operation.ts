import type { AllowSimilarWithheld } from '#contracts';
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
const BATCH_SEGMENT = /(?:^[_$]?|:)(?:batch|bulk)(?:[A-Z_-].*)?$/;
/** Parameters that name the operation in Amazon's query APIs, MediaWiki, Flickr and others. */
const OPERATION_FIELD = /(?:^|[?&])(?:action|cmd|command|operation|method)=/i;

const WORDS_MAX = 100;
/** Parsing a longer body can take seconds. It is only searched for the relevant keys. */
const PARSED_MAX = 1_000_000;
/** The key of a GraphQL query, or a key with an escaped letter, which could be one. */
const GRAPHQL_KEY = /"(?:query"\s*:|\w{0,4}\\u00[67])/;
const RPC_KEY = /"jsonrpc"\s*:/;

/** Recognizes GraphQL, JSON-RPC and similar protocols. Null if method and path say what the request does. */
export function statedOperation(request: MethodStatement): StatedOperation | null {
  const url = new URL(request.targetUrl);
  const segments = pathSegments(url.pathname);
  const type = contentType(request.headers);
  const calls = callsIn(request.body);
  const graphql = graphqlDocuments(url, request.body, type, calls);
  if (
    graphql !== null ||
    hasLong(request.body, GRAPHQL_KEY) ||
    segments.some((segment) => GRAPHQL_SEGMENT.test(segment))
  ) {
    return { by: 'graphql', words: graphqlWords(graphql ?? [], WORDS_MAX) };
  }
  const procedures = calls.flatMap((call) => (isProcedureCall(call) ? [String(call.method)] : []));
  const isRpc =
    procedures.length > 0 || hasLong(request.body, RPC_KEY) || segments.some((segment) => RPC_SEGMENT.test(segment));
  if (isRpc || XML_CALL.test(request.body?.slice(0, 2000) ?? '')) {
    return { by: 'rpc', words: procedures.length === 0 ? null : enumerated(procedures, WORDS_MAX) };
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
): GraphqlRequest[] | null {
  if (body !== null && type.includes('application/graphql') && calls.length === 0) {
    return [{ document: body, operationName: url.searchParams.get('operationName') }];
  }
  const isForm = mayBe(type, 'urlencoded') && body !== null && body.length <= PARSED_MAX;
  const forms = [url.searchParams, ...(isForm ? [new URLSearchParams(body)] : [])];
  const written = [...calls, ...forms.map((form) => Object.fromEntries(form))];
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

const hasLong = (body: string | null, key: RegExp): boolean =>
  body !== null && body.length > PARSED_MAX && key.test(body);

/** The objects in a JSON body: the body itself, or the items of its array. */
function callsIn(body: string | null): Record<string, unknown>[] {
  if (body === null || body.length > PARSED_MAX || !/^\s*[[{]/.test(body)) return [];
  try {
    const parsed = JSON.parse(body) as unknown;
    return [parsed].flat().filter((call): call is Record<string, unknown> => typeof call === 'object' && call !== null);
  } catch {
    return [];
  }
}

const isProcedureCall = (call: Record<string, unknown>): boolean =>
  typeof call.method === 'string' && ('jsonrpc' in call || ('params' in call && 'id' in call));
