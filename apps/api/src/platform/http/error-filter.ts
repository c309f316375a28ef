import { Catch, HttpException, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ERROR_CODE_HEADER } from '#contracts/headers';
import { ApiError, errorBody, errors, forSdks } from '../errors.js';
import { Log } from '../logging.js';
import { allowedMethods } from './allowed-methods.js';
import { isBaseUrlRequest } from './base-url-requests.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { leaveUnread } from './unread-body.js';

/** Converts every thrown error to the common error body. Details that the caller can't act on go only to the log. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** @param onError is told each error response */
  constructor(
    private readonly log: Log,
    private readonly onError: (request: Request, thrown: unknown, error: ApiError) => void = () => {},
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    // No route has taken it, so Nest found nothing.
    if (thrown instanceof NotFoundException && request.method === 'OPTIONS' && answerOptions(request, response)) return;
    const error = toApiError(thrown, request);
    if (error.statusCode >= 500) {
      this.log.error(
        { requestId: request.requestId, err: error.cause ?? error, status: error.statusCode },
        error.message,
      );
    }
    this.onError(request, thrown, error);
    sendError(request, response, error);
  }
}

/**
 * Writes the error body. If the response has already started, closes the connection instead, so that the client sees it
 * is incomplete.
 * @param more fields of the body
 */
export function sendError(request: Request, response: Response, error: ApiError, more: object = {}): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = isBaseUrlRequest(request.originalUrl) ? forSdks(errorBody(error)) : { ...errorBody(error), ...more };
  response.setHeader(ERROR_CODE_HEADER, error.code);
  if (error.statusCode === 401) response.setHeader('WWW-Authenticate', formatChallenge(error));
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  if (!request.complete) {
    response.setHeader('Connection', 'close');
    leaveUnread(request);
  }
  response.status(error.statusCode).type('application/json').send(JSON.stringify(body));
}

/** Codes of tokens and keys that came and don't work (RFC 6750, section 3.1). */
const INVALID_TOKENS: ReadonlySet<string> = new Set([
  'token_invalid',
  'agent_key_unknown',
  'agent_key_revoked',
  'agent_key_expired',
]);

/** Never Basic, because browsers would ask for a password. */
const formatChallenge = ({ code }: ApiError): string =>
  `Bearer realm="Agent Gateway"${INVALID_TOKENS.has(code) ? ', error="invalid_token"' : ''}`;

/** @returns whether the path exists */
function answerOptions(request: Request, response: Response): boolean {
  const methods = allowedMethods(request);
  if (methods.length === 0) return false;
  response.status(204).setHeader('Allow', methods.join(', ')).end();
  return true;
}

function unrouted(request: Request): ApiError {
  const methods = allowedMethods(request);
  return methods.length === 0
    ? errors.unknownPath(request.method, request.path)
    : errors.methodNotAllowed(request.method, methods.join(', '));
}

export function toApiError(thrown: unknown, request: Request): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isDatabaseUnavailable(thrown)) return errors.databaseUnavailable(thrown);
  if (thrown instanceof HttpException) {
    const status = thrown.getStatus();
    return status === 404
      ? unrouted(request)
      : new ApiError(status, status < 500 ? thrown.message : 'Internal server error', { cause: thrown });
  }
  // Express's own errors, for example a path that can't be percent-decoded.
  const { status } = (thrown ?? {}) as { status?: unknown };
  if (status === 400) return errors.invalid('Malformed request path');
  return errors.unexpected(thrown);
}
