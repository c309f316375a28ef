/** The documented operations of an evaluated API, as the gateway would know them. */
import { firstSentence } from '../apps/api/src/documentation/openapi-texts.mjs';
import { takeApart } from '../apps/api/src/documentation/openapi-operations.mjs';
import { isChosenByText } from '../apps/api/src/documentation/described-operations.js';
import { ServiceTemplates } from '../apps/api/src/documentation/service-templates.js';
import type { DescribedOperation, ToolAnnotations } from '../apps/api/src/effects/described-operation.js';
import { spannedPath } from '../apps/api/src/request-reading/path-template.js';
import { parseUrl } from '#egress';
import type { EvaluatedApi } from './format.js';

export interface Documented {
  match(method: string, targetUrl: string): DescribedOperation | null;
  /** The part of the document that describes the operation. Empty: nothing does. */
  excerpt(method: string, targetUrl: string): string;
  tools: ReadonlyMap<string, DescribedOperation> | null;
}

interface Tool {
  name: string;
  description?: string;
  inputSchema?: { properties?: object };
  annotations?: ToolAnnotations;
}
type Content = Record<string, unknown>;

const NOTHING: Documented = { match: () => null, excerpt: () => '', tools: null };
const OPERATIONS_MAX = 10_000;

export function readDocumentation(baseUrl: string, documentation: EvaluatedApi['documentation']): Documented {
  if (documentation === null) return NOTHING;
  const { type, content } = documentation;
  if (type === 'mcp') return { match: () => null, excerpt: () => JSON.stringify(content), tools: readTools(content) };
  return { ...matcher(baseUrl, content), tools: null };
}

const readTools = (content: Content): Map<string, DescribedOperation> =>
  new Map(
    (content.tools as Tool[]).map((tool) => [
      tool.name,
      {
        id: tool.name,
        method: 'POST',
        path: '',
        summary: firstSentence(tool.description) ?? '',
        tags: [],
        deprecated: false,
        queryParameters: [],
        fields: Object.keys(tool.inputSchema?.properties ?? {}),
        annotations: tool.annotations ?? null,
        mayLower: true,
      },
    ]),
  );

/** As `OperationIndex`, which reads its templates from the database. */
function matcher(baseUrl: string, document: Content): Pick<Documented, 'match' | 'excerpt'> {
  const { operations } = takeApart(document, OPERATIONS_MAX);
  const templates = new ServiceTemplates();
  templates.add(operations.map((operation, id) => ({ ...operation, id, tool: null })));
  templates.finish();
  const find = (method: string, targetUrl: string) => templates.find({ method }, parseUrl(targetUrl)!, baseUrl);
  const described = new Map<string, DescribedOperation>();
  return {
    match(method, targetUrl) {
      const found = find(method, targetUrl);
      if (found === null) return null;
      const key = `${found.id} ${found.isSpanned}`;
      const operation = described.get(key) ?? describe(document, operations[found.id], found.isSpanned);
      described.set(key, operation);
      return operation;
    },
    excerpt: (method, targetUrl) => operations[find(method, targetUrl)?.id ?? -1]?.excerpt ?? '',
  };
}

type Operation = ReturnType<typeof takeApart>['operations'][number];

/** @param isSpanned whether it is a guess that it is this operation, so that it documents no parameters */
function describe(document: Content, operation: Operation, isSpanned: boolean): DescribedOperation {
  const { facts, method, operationId } = operation;
  const item = (document.paths as Record<string, Record<string, { summary?: string }>>)[operation.path];
  return {
    id: operationId,
    method,
    path: isSpanned ? spannedPath(operation) : operation.path,
    // Not the first sentence of the description, which the gateway shows in its place.
    summary: item[method.toLowerCase()]?.summary ?? '',
    tags: facts?.tags ?? [],
    deprecated: facts?.deprecated ?? false,
    queryParameters: isSpanned ? [] : (facts?.queryParameters ?? []),
    fields: isSpanned ? [] : (facts?.fields ?? []),
    annotations: null,
    mayLower: !isChosenByText(operation),
  };
}
