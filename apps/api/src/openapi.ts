import { STATUS_CODES } from 'node:http';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express, { type RequestHandler } from 'express';
import { DocumentBuilder, getSchemaPath, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { AGENT_KEY_HEADER, ERROR_CODES, ERROR_CODE_HEADER, ErrorBody, REQUEST_ID_HEADER } from '#contracts';
import { AGENT_KEY_SCHEME } from './agents/agent-key-scheme.js';
import { packageVersion } from './platform/package-version.js';

/** The OpenAPI 3.1 document, from the controllers and DTO classes. */
export function openApiDocument(app: NestExpressApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Agent Gateway')
    .setDescription(
      'The gateway between AI agents and the APIs they act on. Agents use `POST /proxy`, `GET /status/{actionId}` and ' +
        '`POST /proxy/execute/{actionId}` with their agent key; people use the rest with a bearer token. ' +
        'Every error is `{"error": string, "statusCode": number}`, and its stable name stands in the header `X-Error-Code`.',
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

/** `agentsList`, `auditExport`; `proxy`, where the controller has one operation of its own name. */
function operationIdFactory(controller: string, method: string): string {
  const name = controller.replace(/Controller$/, '');
  const first = name.charAt(0).toLowerCase() + name.slice(1);
  return first === method ? method : first + method.charAt(0).toUpperCase() + method.slice(1);
}

/**
 * Serves the document at /openapi.json, and a page to read it at /docs. By a router of its own, since in the common one its
 * nine routes would be tried before those of each request.
 */
export function openApi(app: NestExpressApplication): RequestHandler {
  const router = express().disable('x-powered-by');
  const adapter = new ExpressAdapter(router);
  const host = {
    config: { getGlobalPrefix: () => '' },
    getHttpAdapter: () => adapter,
    useStaticAssets: (path: string, options: object) => void adapter.useStaticAssets(path, options),
  };
  SwaggerModule.setup('docs', host as unknown as NestExpressApplication, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Agent Gateway API',
  });
  return (request, response, next) => {
    if (/^\/(docs|openapi)/i.test(request.path)) router(request, response, next);
    else next();
  };
}

interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: object;
}
interface DocumentedOperation {
  requestBody?: object;
  responses: Record<string, DocumentedResponse>;
}

/** What any endpoint may answer, whatever it does: said here once rather than on each. */
function withCommonResponses(document: OpenAPIObject): OpenAPIObject {
  for (const [path, item] of Object.entries(document.paths)) {
    // Where a controller takes all methods, Nest counts some among them that OpenAPI 3.1 has no word for.
    for (const unknown of ['search', 'query']) delete (item as Record<string, unknown>)[unknown];
    for (const operation of Object.values(item) as DocumentedOperation[]) {
      for (const status of commonErrors(path, operation)) operation.responses[status] ??= errorResponse(status);
      const retryAfter = { 'Retry-After': { description: 'Seconds', schema: { type: 'string' } } };
      const away = operation.responses[503] as DocumentedResponse | undefined;
      if (away) away.headers = { ...retryAfter, ...away.headers };
      for (const [status, response] of Object.entries(operation.responses)) {
        response.headers = { ...response.headers, [REQUEST_ID_HEADER]: REQUEST_ID };
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

function errorCodeHeader(status: number): object {
  const codes = Object.entries(ERROR_CODES).filter(([, { statuses }]) => statuses.includes(status));
  return {
    description: 'The stable name of the refusal, when the gateway itself answers',
    schema: { type: 'string', enum: codes.map(([code]) => code) },
  };
}

/** A URL or body that can't be read, our own fault, and a database that is away: `/health` alone asks for none. */
function commonErrors(path: string, { requestBody }: DocumentedOperation): number[] {
  if (path === '/health') return [];
  return [400, ...(requestBody === undefined ? [] : [413, 415]), 500, 503];
}

function errorResponse(status: number): DocumentedResponse {
  const schema = { $ref: getSchemaPath(ErrorBody) };
  return { description: STATUS_CODES[status] ?? '', content: { 'application/json': { schema } } };
}
