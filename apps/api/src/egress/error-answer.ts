import { ERROR_CODE_HEADER } from '#contracts';
import { errorBody, errors, type ApiError } from '../platform/errors.js';
import type { Answer } from './answer.js';

/** An error of the gateway in the form of an answer, where it must be stored and replayed like one. */
export function errorAnswer(error: ApiError): Answer {
  return {
    fromUpstream: false,
    status: error.statusCode,
    headers: [
      // As the first answer had it: a replay is the same.
      ['content-type', 'application/json; charset=utf-8'],
      [ERROR_CODE_HEADER.toLowerCase(), error.code],
    ],
    body: Buffer.from(JSON.stringify(errorBody(error))),
  };
}

/** The answer that stands for one that was lost with the process that waited for it. */
export function unknownOutcome(targetUrl: string): Answer {
  return errorAnswer(
    errors.forwardFailed(
      new URL(targetUrl).hostname,
      'the gateway stopped before the answer came; the request may have been carried out',
    ),
  );
}
