/** The documented operations of an evaluated API, as the gateway would know them. */
import { firstSentence } from '../apps/api/src/documentation/openapi-texts.mjs';
import { takeApart } from '../apps/api/src/documentation/openapi-operations.mjs';
import { References } from '../apps/api/src/documentation/openapi-references.mjs';
import { ServiceTemplates } from '../apps/api/src/documentation/service-templates.js';
import type { DescribedOperation, ToolAnnotations } from '../apps/api/src/effects/described-operation.js';
import { parseUrl } from '#egress';
import type { EvaluatedApi } from './format.js';

export interface Documented {
  match(method: string, targetUrl: string): DescribedOperation | null;
  tools: ReadonlyMap<string, DescribedOperation> | null;
}

interface Tool {
  name: string;
  description?: string;
  inputSchema?: { properties?: object };
  annotations?: ToolAnnotations;
}
interface Parameter {
  name: string;
  in: string;
}
interface Stated {
  summary?: string;
  tags?: string[];
  deprecated?: boolean;
  parameters?: unknown[];
  requestBody?: unknown;
}
type Content = Record<string, unknown>;
type Schema = { properties?: object } | undefined;

const NOTHING: Documented = { match: () => null, tools: null };
const OPERATIONS_MAX = 10_000;

export function readDocumentation(baseUrl: string, documentation: EvaluatedApi['documentation']): Documented {
  if (documentation === null) return NOTHING;
  if (documentation.type === 'mcp') return { match: () => null, tools: readTools(documentation.content) };
  return { match: matcher(baseUrl, documentation.content), tools: null };
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
      },
    ]),
  );

/** As `OperationIndex`, which reads its templates from the database. */
function matcher(baseUrl: string, document: Content): Documented['match'] {
  const { operations } = takeApart(document, OPERATIONS_MAX);
  const templates = new ServiceTemplates();
  templates.add(operations.map((operation, id) => ({ ...operation, id, tool: null })));
  templates.finish();
  const described = operations.map((operation) => describe(document, operation));
  return (method, targetUrl) => {
    const found = templates.find({ method }, parseUrl(targetUrl)!, baseUrl);
    return found === null ? null : described[found.id];
  };
}

function describe(
  document: Content,
  operation: ReturnType<typeof takeApart>['operations'][number],
): DescribedOperation {
  const references = new References(document);
  const resolve = <T>(value: unknown): T | undefined => references.resolve(value).value as T | undefined;
  const item = resolve<Stated & Record<string, unknown>>((document.paths as Content)[operation.path]) ?? {};
  const stated = resolve<Stated>(item[operation.method.toLowerCase()]) ?? {};
  const parameters = [...(item.parameters ?? []), ...(stated.parameters ?? [])].map((each) => resolve<Parameter>(each));
  const body = resolve<{ content?: Record<string, { schema?: unknown }> }>(stated.requestBody);
  const schemas = Object.values(body?.content ?? {}).map(({ schema }) => resolve<Schema>(schema));
  return {
    id: operation.operationId,
    method: operation.method,
    path: operation.path,
    // Not the first sentence of the description, which the gateway shows in its place.
    summary: stated.summary ?? item.summary ?? '',
    tags: stated.tags ?? [],
    deprecated: stated.deprecated === true,
    queryParameters: parameters.flatMap((each) => (each?.in === 'query' ? each.name : [])),
    fields: schemas.flatMap((schema) => Object.keys(schema?.properties ?? {})),
    annotations: null,
  };
}
