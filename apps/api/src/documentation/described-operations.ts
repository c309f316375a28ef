import type { DocumentedOperationEntity } from '#database';
import { parseUrl } from '#egress';
import type { DescribedOperation } from '../effects/described-operation.js';
import { firstSentence } from './openapi-texts.mjs';
import { spannedPath, type TemplatePath } from '../request-reading/path-template.js';
import type { ServiceView } from '../service-view/service-view.js';

/** What is known of documented operations. Pure functions: tests of a policy use them without a database. */

/** The parts of a request that say which operation it calls. */
export interface OperationCall {
  method: string;
  targetUrl: string;
  /** The tools that the body calls, by `tools/call` of MCP. */
  tools?: readonly string[];
}

/** A call, with all methods that it may ask for. */
export interface MethodsCall extends OperationCall {
  methods: readonly string[];
}

/** The target of a call that an operation may describe. */
export const describedTarget = (
  { documentIds }: Pick<ServiceView, 'documentIds'>,
  { targetUrl }: OperationCall,
): URL | null => (documentIds.length === 0 ? null : parseUrl(targetUrl));

type OperationRow = Pick<
  DocumentedOperationEntity,
  'method' | 'path' | 'comparedPath' | 'operationId' | 'summary' | 'description' | 'facts'
>;

/** @param isSpanned whether the template fits only if its last parameter stands for several segments */
export function toDescribedOperation(row: OperationRow, isSpanned: boolean): DescribedOperation {
  const { method, operationId, summary, description, facts } = row;
  // Whether it is this operation is a guess, so nothing that only a document permits is documented for it.
  const documented = isSpanned ? null : facts;
  return {
    id: operationId,
    method,
    path: isSpanned ? spannedPath(row) : row.path,
    summary: summary ?? '',
    tags: facts?.tags ?? [],
    deprecated: facts?.deprecated ?? false,
    queryParameters: documented?.queryParameters ?? [],
    fields: documented?.fields ?? [],
    annotations: facts?.annotations ?? null,
    mayLower: !isSpanned && !isChosenByText(row) && !isFromDescription(summary, description),
  };
}

/**
 * Whether the query or the fragment of a target chooses the operation. The agent can state several, and servers may read
 * another one, or none: a fragment is not sent.
 */
export const isChosenByText = ({ path, comparedPath }: TemplatePath): boolean =>
  /[?#]/.test(path) || /[?#]/.test(comparedPath ?? '');

/** A document without summaries gets the first sentences of its descriptions (`openapi-texts.mjs`). */
const isFromDescription = (summary: string | null, description: string | null): boolean =>
  summary !== null && summary === firstSentence(description);
