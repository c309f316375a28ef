import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface Operation {
  operationId: string;
  summary?: string;
  security?: Record<string, string[]>[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, object>; headers?: Record<string, object> }>;
}
interface Schema {
  properties?: object;
  additionalProperties?: unknown;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> };
}

/** The document that a gateway serves. */
export interface ApiDocument {
  json: Document;
  /** The operations of a route like `POST /agents/{id}` in the document. */
  operations: [string, Operation][];
  operation: (route: string) => Operation;
  /** The ways in which a value breaks the schema at these keys of the document; null: it matches. */
  violations: (keys: string[], value: unknown) => object[] | null;
}

export async function readDocument(gatewayUrl: string): Promise<ApiDocument> {
  const json = (await (await fetch(`${gatewayUrl}/openapi.json`)).json()) as Document;
  const validators = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(validators);
  validators.addSchema({ $id: 'document', ...closed(json) });
  const operations = Object.entries(json.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
  return {
    json,
    operations,
    operation: (route) => {
      const [method, path] = route.split(' ');
      return json.paths[path][method.toLowerCase()];
    },
    violations: (keys, value) => {
      const pointer = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
      const validate = validators.compile({ $ref: `document#/${pointer}` });
      validate(value);
      return validate.errors ?? null;
    },
  };
}

/** Tests reject undocumented fields, although callers must accept them. */
function closed(original: Document): Document {
  const copy = structuredClone(original);
  for (const schema of Object.values(copy.components.schemas)) {
    if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
  }
  return copy;
}
