import type { RequestEffect } from '#contracts/risk';
import { lenientReadings, parseUrl, pathReadings, strictReadings } from '#egress';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { graphqlCalls } from '../request-reading/graphql-calls.js';
import { requestContent } from '../request-reading/request-content.js';
import { requestMethods, type MethodStatement } from '../request-reading/request-methods.js';
import { rpcFacts } from '../request-reading/rpc-calls.js';
import { classifySubject } from './classification.js';
import type { DescribedOperation } from './described-operation.js';
import { operationEffects, type OperationEffects } from './operation-effects.js';
import type { EffectSubject, KnownTools } from './subject.js';

/** What depends only on the operation, once per operation. */
const known = new WeakMap<DescribedOperation, OperationEffects>();

/**
 * What a request does, in words, each with its reason (docs/reference/effects.md). Pure; never fails.
 * @param tools the tools of an MCP server by name; null if no list is known
 */
export const classify = (
  request: MethodStatement,
  baseUrl: string,
  operation: DescribedOperation | null,
  tools: KnownTools | null = null,
): readonly RequestEffect[] => atOnce(classifySteps(request, baseUrl, operation, tools));

/** What `classify` returns. A long body takes ten milliseconds or more. */
export function* classifySteps(
  request: MethodStatement,
  baseUrl: string,
  operation: DescribedOperation | null,
  tools: KnownTools | null,
): ShortSteps<readonly RequestEffect[]> {
  try {
    const subject = toSubject(request, baseUrl, operation, tools);
    yield;
    return yield* classifySubject(subject, subject.operation && effectsOfOperation(subject.operation));
  } catch {
    // A bug must not let a request pass.
    const reason = 'the request cannot be read';
    return [
      { effect: 'unclear', reason },
      { effect: 'write', reason },
    ];
  }
}

function effectsOfOperation(operation: DescribedOperation): OperationEffects {
  const found = known.get(operation) ?? operationEffects(operation);
  known.set(operation, found);
  return found;
}

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
