import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, getSchemaPath, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { AGENT_KEY_HEADER, ErrorBody, REQUEST_ID_HEADER } from '#contracts';
import { AGENT_KEY_SCHEME } from './agents/agent-key-scheme.js';

/** The version in package.json, which stands at the top of the repository and of the image. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

/** The OpenAPI 3.1 document, from the controllers and DTO classes. */
export function openApiDocument(app: NestExpressApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Agent Gateway')
    .setDescription(
      'The gateway between AI agents and the APIs they act on. Agents use `POST /proxy`, `GET /status/{actionId}` and ' +
        '`POST /proxy/execute/{actionId}` with their agent key; people use the rest with a bearer token. ' +
        'Every error is `{"error": string, "statusCode": number}`.',
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

/** Serves the document at /openapi.json, and a page to read it at /docs. */
export function serveOpenApi(app: NestExpressApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Agent Gateway API',
  });
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
    for (const operation of Object.values(item) as DocumentedOperation[]) {
      for (const status of commonErrors(path, operation)) operation.responses[status] ??= errorResponse(status);
      const retryAfter = { 'Retry-After': { description: 'Seconds', schema: { type: 'string' } } };
      const away = operation.responses[503] as DocumentedResponse | undefined;
      if (away) away.headers = { ...retryAfter, ...away.headers };
      for (const response of Object.values(operation.responses)) {
        response.headers = { ...response.headers, [REQUEST_ID_HEADER]: REQUEST_ID };
      }
    }
  }
  return document;
}

const REQUEST_ID = {
  description: 'Identifies the request in the log and the audit records',
  schema: { type: 'string' },
};

/** A URL or body that can't be read, our own fault, and a database that is away: `/health` alone asks for none. */
function commonErrors(path: string, { requestBody }: DocumentedOperation): number[] {
  if (path === '/health') return [];
  return [400, ...(requestBody === undefined ? [] : [413, 415]), 500, 503];
}

function errorResponse(status: number): DocumentedResponse {
  const schema = { $ref: getSchemaPath(ErrorBody) };
  return { description: STATUS_CODES[status] ?? '', content: { 'application/json': { schema } } };
}
