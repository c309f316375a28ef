import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { DocumentBuilder, getSchemaPath, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { AGENT_KEY_HEADER, ERROR_CODES, ERROR_CODE_HEADER, ErrorBody, REQUEST_ID_HEADER } from '#contracts';
import { AGENT_KEY_SCHEME } from './agents/agent-key-scheme.js';
import { unchanging } from './platform/http/unchanging.js';
import { packageVersion } from './platform/package-version.js';

/** The files that the page at /docs loads. The package has more, for example source maps of 2 MB. */
const PAGE_FILES = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui-standalone-preset.js', 'text/javascript; charset=utf-8'],
  ['favicon-16x16.png', 'image/png'],
  ['favicon-32x32.png', 'image/png'],
] as const;

/** Generates the OpenAPI 3.1 document from the controllers and DTO classes. */
function openApiDocument(app: NestExpressApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Agent Gateway')
    .setDescription(
      'The gateway between AI agents and the APIs they act on. Agents use `POST /proxy`, `GET /status/{actionId}` and ' +
        '`POST /proxy/execute/{actionId}` with their agent key; people use the rest with a bearer token. ' +
        'Every error is `{"error": string, "statusCode": number}`, with its stable name in the header `X-Error-Code`.',
    )
    .setVersion(packageVersion())
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addApiKey({ type: 'apiKey', in: 'header', name: AGENT_KEY_HEADER }, AGENT_KEY_SCHEME)
    .build();
  return withCommonResponses(
    SwaggerModule.createDocument(app, config, { operationIdFactory, extraModels: [ErrorBody] }),
  );
}

/**
 * Returns names like `agentsList` and `auditExport`, or just `proxy` for an operation that has the controller's own
 * name.
 */
function operationIdFactory(controller: string, method: string): string {
  const name = controller.replace(/Controller$/, '');
  const first = name.charAt(0).toLowerCase() + name.slice(1);
  return first === method ? method : first + method.charAt(0).toUpperCase() + method.slice(1);
}

/**
 * Serves the document at /openapi.json and /openapi.yaml, and a page that shows it at /docs. It has its own router,
 * because Express would try its nine routes on every request if they were in the shared router. Everything is made once:
 * nobody needs a token to ask for it, and the YAML alone takes a tenth of a second or more.
 */
export function openApi(app: NestExpressApplication): RequestHandler {
  let made: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (made ??= openApiDocument(app));
  const router = express().disable('x-powered-by').disable('etag');
  router.get(
    '/openapi.json',
    unchanging('application/json; charset=utf-8', () => JSON.stringify(document())),
  );
  router.get(
    '/openapi.yaml',
    unchanging('text/yaml; charset=utf-8', async () => {
      const { stringify } = await import('yaml');
      return stringify(document(), { aliasDuplicateObjects: false });
    }),
  );
  const adapter = new ExpressAdapter(router);
  adapter.get = (path: unknown, handler?: RequestHandler): unknown =>
    router.get(
      path as string,
      (path as string).endsWith('.js')
        ? unchanging('text/javascript; charset=utf-8', () => captureScript(handler!))
        : handler!,
    );
  const host = {
    config: { getGlobalPrefix: () => '' },
    getHttpAdapter: () => adapter,
    useStaticAssets: (folder: string, { prefix }: { prefix: string }) => {
      for (const [name, type] of PAGE_FILES)
        router.get(
          `${prefix}/${name}`,
          unchanging(type, () => readFileSync(join(folder, name))),
        );
    },
  };
  SwaggerModule.setup('docs', host as unknown as NestExpressApplication, document, {
    raw: false,
    customSiteTitle: 'Agent Gateway API',
  });
  return (request, response, next) => {
    if (/^\/(docs|openapi)/i.test(request.path)) router(request, response, next);
    else next();
  };
}

/** What this handler of the Swagger module sends: the script with the whole document, the same each time. */
function captureScript(handler: RequestHandler): string {
  let script = '';
  const response = { type: () => undefined, send: (text: string) => void (script = text) };
  void handler({} as Request, response as unknown as Response, () => undefined);
  return script;
}

interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: object;
}
interface OperationObject {
  requestBody?: object;
  responses: Record<string, DocumentedResponse>;
}

/** Adds the errors and headers that every endpoint can return, so that controllers need not declare them. */
function withCommonResponses(document: OpenAPIObject): OpenAPIObject {
  for (const [path, item] of Object.entries(document.paths)) {
    // For a controller that accepts all methods, Nest lists some that OpenAPI 3.1 does not know.
    for (const unknown of ['search', 'query']) delete (item as Record<string, unknown>)[unknown];
    for (const operation of Object.values(item) as OperationObject[]) {
      for (const status of commonErrors(path, operation)) operation.responses[status] ??= errorResponse(status);
      const retryAfter = { 'Retry-After': { description: 'Seconds', schema: { type: 'string' } } };
      const unavailable = operation.responses[503] as DocumentedResponse | undefined;
      if (unavailable) unavailable.headers = { ...retryAfter, ...unavailable.headers };
      for (const [status, response] of Object.entries(operation.responses)) {
        response.headers = { ...response.headers, [REQUEST_ID_HEADER]: REQUEST_ID };
        if (status === '401') response.headers['WWW-Authenticate'] = CHALLENGE;
        if (Number(status) >= 400) response.headers[ERROR_CODE_HEADER] = errorCodeHeader(Number(status));
      }
    }
  }
  return document;
}

const REQUEST_ID = {
  description: 'Identifies the request in the log and the audit records',
  schema: { type: 'string' },
};

const CHALLENGE = { description: 'Always `Bearer`', schema: { type: 'string' } };

function errorCodeHeader(status: number): object {
  const codes = Object.entries(ERROR_CODES).filter(([, { statuses }]) => statuses.includes(status));
  return {
    description: 'The stable name of the error, if the response comes from the gateway',
    schema: { type: 'string', enum: codes.map(([code]) => code) },
  };
}

/**
 * Errors of every endpoint: unreadable URL or body, internal errors, no database. Only `/health` has none, as it reads
 * none of these.
 */
function commonErrors(path: string, { requestBody }: OperationObject): number[] {
  if (path === '/health') return [];
  return [400, ...(requestBody === undefined ? [] : [413, 415]), 500, 503];
}

function errorResponse(status: number): DocumentedResponse {
  const schema = { $ref: getSchemaPath(ErrorBody) };
  return { description: STATUS_CODES[status] ?? '', content: { 'application/json': { schema } } };
}
