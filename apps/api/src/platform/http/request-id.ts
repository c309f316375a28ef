import type { NextFunction, Request, Response } from 'express';
import { REQUEST_ID_HEADER } from '#contracts/headers';
import type { Clock } from '../clock.js';
import { uuidV7 } from '../uuid-v7.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The caller's id if it is well-formed, otherwise a generated one (docs/reference/http.md#request-id). */
    requestId: string;
  }
}

/**
 * Generated ids are sorted by time, so that the index on request ids grows only at its end. That costs a fifth of
 * random inserts.
 */
export function requestId(clock: Clock) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const given = request.headers['x-request-id'];
    request.requestId =
      typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : uuidV7(clock.nowMs());
    response.setHeader(REQUEST_ID_HEADER, request.requestId);
    next();
  };
}
