import type { RequestEffect } from '#contracts/risk';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { documentSteps } from '../request-reading/graphql-sent.js';
import type { MethodStatement } from '../request-reading/request-methods.js';
import { rpcSteps } from '../request-reading/rpc-calls.js';
import { classifySubject } from './classification.js';
import type { DescribedOperation } from './described-operation.js';
import type { Classified } from './findings.js';
import { operationEffects, type OperationEffects } from './operation-effects.js';
import { toSubject } from './request-subject.js';
import type { KnownTools } from './subject.js';

/** What depends only on the operation, once per operation. */
const known = new WeakMap<DescribedOperation, OperationEffects>();

/** Of a request that cannot be read. It may do anything. */
const NOTHING_KNOWN: Classified = {
  effects: (['unclear', 'write'] as const).map((effect) => ({ effect, reason: 'the request cannot be read' })),
  isWhole: false,
};

/**
 * What a request does, in words, each with its reason (docs/reference/effects.md). Pure; never fails.
 * @param operation the one at the path
 * @param tools the tools of an MCP server by name; null if no list is known
 * @param others operations for which some server may take the request; they only add effects; null if too many to be found
 */
export const classify = (
  request: MethodStatement,
  baseUrl: string,
  operation: DescribedOperation | null,
  tools: KnownTools | null = null,
  others: readonly DescribedOperation[] | null = [],
): readonly RequestEffect[] => atOnce(classifySteps(request, baseUrl, { operation, tools, others })).effects;

/** What may be known about a request. */
export interface KnownOperations {
  operation: DescribedOperation | null;
  tools: KnownTools | null;
  others: readonly DescribedOperation[] | null;
}

/** What `classify` returns, and whether all was read. A long body takes ten milliseconds or more. */
export function* classifySteps(
  request: MethodStatement,
  baseUrl: string,
  { operation, tools, others }: KnownOperations,
): ShortSteps<Classified> {
  try {
    if (others === null) throw new Error('the path has too many readings');
    // They take most of the time that a subject takes.
    yield* documentSteps(request);
    yield* rpcSteps(request);
    const subject = toSubject(request, baseUrl, operation, tools);
    yield;
    const { effects, isWhole } = yield* classifySubject(
      subject,
      subject.operation && effectsOfOperation(subject.operation),
      others.map(effectsOfOperation),
    );
    return { effects: effects.map(storable), isWhole };
  } catch {
    // A bug must not let a request pass.
    return NOTHING_KNOWN;
  }
}

/** A reason quotes the request, and may cut a character in two. PostgreSQL stores no half of one in JSON, and no NUL. */
const storable = ({ effect, reason }: RequestEffect): RequestEffect => ({
  effect,
  reason: reason.replace(/[\0\p{Cs}]/gu, '\uFFFD'),
});

function effectsOfOperation(operation: DescribedOperation): OperationEffects {
  const found = known.get(operation) ?? operationEffects(operation);
  known.set(operation, found);
  return found;
}
