import { ERROR_CODE_HEADER } from '#contracts';
import { errorBody, errors, type ApiError } from '../platform/errors.js';
import type { Answer } from './answer.js';

/** An error of the gateway in the form of an answer, so that it can be stored and replayed. */
export function errorAnswer(error: ApiError): Answer {
  return {
    fromUpstream: false,
    status: error.statusCode,
    headers: [
      // A replay has the content type of the first answer.
      ['content-type', 'application/json; charset=utf-8'],
      [ERROR_CODE_HEADER.toLowerCase(), error.code],
    ],
    body: Buffer.from(JSON.stringify(errorBody(error))),
  };
}

/** The answer to store when the process stopped before the real one came. */
export function unknownOutcome(targetUrl: string): Answer {
  return errorAnswer(
    errors.forwardFailed(
      new URL(targetUrl).hostname,
      'the gateway stopped before the answer came; the request may have been carried out',
    ),
  );
}
