import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { AGENT_KEY_HEADER, REQUEST_ID_HEADER } from '#contracts';
import { AGENT_KEY_SCHEME } from './proxy/api-proxy.js';

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
  return withRequestId(SwaggerModule.createDocument(app, config, { operationIdFactory: (_type, method) => method }));
}

/** Serves the document at /openapi.json, and a page to read it at /docs. */
export function serveOpenApi(app: NestExpressApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Agent Gateway API',
  });
}

/** Every response carries it, errors included (contract 1): said here once rather than on each endpoint. */
function withRequestId(document: OpenAPIObject): OpenAPIObject {
  const header = { description: 'Identifies the request in the log and the audit records', schema: { type: 'string' } };
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as { responses?: Record<string, { headers?: object }> }[]) {
      for (const response of Object.values(operation.responses ?? {})) {
        response.headers = { ...response.headers, [REQUEST_ID_HEADER]: header };
      }
    }
  }
  return document;
}
