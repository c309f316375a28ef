import { ERROR_CODE_HEADER, type ErrorBody } from '#contracts';
import type { ApiError } from '../platform/errors.js';
import type { Answer } from './stored-response.js';

/** An error of the gateway in the form of an answer, where it must be stored and replayed like one. */
export function errorAnswer(error: ApiError): Answer {
  const body: ErrorBody = { error: error.message, statusCode: error.statusCode };
  return {
    fromUpstream: false,
    status: error.statusCode,
    headers: [
      ['content-type', 'application/json'],
      [ERROR_CODE_HEADER.toLowerCase(), error.code],
    ],
    body: Buffer.from(JSON.stringify(body)),
  };
}
