import type { NextFunction, Request, Response } from 'express';
import { errors } from '../errors.js';

/**
 * Refuses NUL in path and query, because PostgreSQL's text type can't store it (docs/reference/http.md#json). The JSON
 * parser checks the bodies.
 */
export function refuseNul(request: Request, _response: Response, next: NextFunction): void {
  next(request.url.includes('%00') ? errors.invalid('URL must not contain NUL characters') : undefined);
}
