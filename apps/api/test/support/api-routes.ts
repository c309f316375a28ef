type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One endpoint as the OpenAPI document lists it. Tests that loop over these routes can't forget one. */
export interface ApiRoute {
  /** Like `GET /services/{id}`. */
  name: string;
  method: Method;
  path: string;
  guard: 'bearer' | 'agentKey' | null;
  /** Names of the path parameters. */
  params: string[];
  /** Names of the body's fields; null: it has no body. */
  fields: string[] | null;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: object }> };
}
interface Operation {
  security?: Record<string, unknown>[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}

export async function apiRoutes(app: { url: string }): Promise<ApiRoute[]> {
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as Document;
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security, requestBody }]) => {
      const schema = requestBody?.content['application/json'].schema.$ref.split('/').at(-1);
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase() as Method,
        path,
        guard: (Object.keys(security?.[0] ?? {})[0] as ApiRoute['guard']) ?? null,
        params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        fields: schema ? Object.keys(document.components.schemas[schema].properties ?? {}) : null,
      };
    }),
  );
}
