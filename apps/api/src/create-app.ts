import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import {
  ERROR_CODE_HEADER,
  IDEMPOTENCY_STATUS_HEADER,
  PROXY_STATUS_HEADER,
  REQUEST_ID_HEADER,
} from '#contracts/headers';
import { AppModule } from './app.module.js';
import { openApi } from './openapi.js';
import type { Clock } from './platform/clock.js';
import type { Config } from './platform/config.js';
import { compressJson } from './platform/http/compressed-json.js';
import { GatewayExpressAdapter } from './platform/http/express-adapter.js';
import { ErrorFilter, sendError, toApiError } from './platform/http/error-filter.js';
import { answerMalformedRequests } from './platform/http/malformed-requests.js';
import { plainForwardedFor } from './platform/http/client-address.js';
import { requestId } from './platform/http/request-id.js';
import { validationPipe } from './platform/http/validation.js';
import { NestLog } from './platform/logging.js';
import { dashboard } from './platform/http/dashboard.js';
import { refuseNul } from './platform/http/refuse-nul.js';
import { leaveBodyOfReads } from './platform/http/unread-body.js';
import { RequestCounter } from './proxy/request-counter.js';
import { securityHeaders } from './platform/http/security-headers.js';

/** Response headers that pages of other origins may read, in addition to those that browsers always expose. */
const EXPOSED_HEADERS = [
  PROXY_STATUS_HEADER,
  IDEMPOTENCY_STATUS_HEADER,
  ERROR_CODE_HEADER,
  REQUEST_ID_HEADER,
  'Retry-After',
  'Preference-Applied',
];

/** One middleware calls these checks, because each layer of Express's router costs as much as many checks. */
function inOrder(...middleware: RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let index = 0;
    const step = (error?: unknown): void => {
      if (error !== undefined || index === middleware.length) next(error);
      else middleware[index++](request, response, step);
    };
    step();
  };
}

/** Creates the complete application, ready to listen. */
export async function createApp(config: Config, log: Logger, clock: Clock): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(config, log, clock),
    new GatewayExpressAdapter(),
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
    },
  );
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', config.http.trustProxy);
  answerMalformedRequests(app.getHttpServer());
  if (config.http.trustProxy !== false) app.use(plainForwardedFor);
  app.use(
    inOrder(
      requestId(clock),
      securityHeaders(config.http),
      leaveBodyOfReads,
      refuseNul,
      dashboard,
      compressJson,
      openApi(app),
    ),
  );
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    sendError(request, response, toApiError(error, request)),
  );
  app.useGlobalPipes(validationPipe());
  const counter = app.get(RequestCounter);
  app.useGlobalFilters(new ErrorFilter(log, (request, thrown, error) => counter.answered(request, thrown, error)));
  const { corsOrigins } = config.http;
  if (corsOrigins.length > 0) {
    app.enableCors({ origin: [...corsOrigins], credentials: true, exposedHeaders: EXPOSED_HEADERS });
  }
  return app;
}
