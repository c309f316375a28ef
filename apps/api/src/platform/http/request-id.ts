import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { REQUEST_ID_HEADER } from '#contracts/headers';

declare module 'express-serve-static-core' {
  interface Request {
    /** Ours, or the caller's where it is a harmless one (contract 1). */
    requestId: string;
  }
}

export function requestId(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  request.requestId = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
  response.setHeader(REQUEST_ID_HEADER, request.requestId);
  next();
}
