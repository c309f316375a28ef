import type { NextFunction, Request, Response } from 'express';
import { errors } from '../errors.js';

/**
 * PostgreSQL's text can't hold NUL, so no path or query may bring one (docs/reference/http.md#json); `jsonBody` sees to
 * the bodies.
 */
export function refuseNul(request: Request, _response: Response, next: NextFunction): void {
  next(request.url.includes('%00') ? errors.invalid('URL must not contain NUL characters') : undefined);
}
