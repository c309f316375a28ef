import { lenientReadings, parseUrl, pathReadings, strictReadings } from '#egress';
import { graphqlCalls } from '../request-reading/graphql-calls.js';
import { requestContent } from '../request-reading/request-content.js';
import { requestMethods, type MethodStatement } from '../request-reading/request-methods.js';
import { rpcFacts } from '../request-reading/rpc-calls.js';
import type { DescribedOperation } from './described-operation.js';
import type { EffectSubject, KnownTools } from './subject.js';

/** What the classification knows of a request. */
export function toSubject(
  request: MethodStatement,
  baseUrl: string,
  operation: DescribedOperation | null,
  tools: KnownTools | null,
): EffectSubject {
  const url = parseUrl(request.targetUrl) ?? new URL(request.targetUrl);
  return {
    methods: requestMethods(request),
    host: url.hostname,
    paths: readingsOf(url, baseUrl),
    query: url.searchParams,
    headers: request.headers,
    content: requestContent(request),
    body: request.body,
    graphql: graphqlCalls(request),
    rpc: rpcFacts(request),
    // A tool is described by the list of tools.
    operation: operation?.path === '' ? null : operation,
    tools: tools ?? (operation?.path === '' && operation.id !== null ? new Map([[operation.id, operation]]) : null),
  };
}

/** Where nobody knows where the path leads, each reading counts. What lowers must hold for all. */
const readingsOf = (url: URL, baseUrl: string): readonly string[] =>
  strictReadings(url, baseUrl) ?? [...pathReadings(url, baseUrl), ...(lenientReadings(url, baseUrl) ?? [])];
