import compression from 'compression';
import type { NextFunction, Request, Response } from 'express';

/** Answers below one packet of a network are not worth it. */
const MIN_BYTES = 1024;

/** The endpoints that the dashboard reads. Agents get their answers as they are: the upstream has encoded those. */
const READ_BY_DASHBOARD = /^\/(?:admin|agents|approvals|audit|channels|services|workspaces)(?:[/?]|$)/;

const compress = compression({
  threshold: MIN_BYTES,
  filter: (_request, response) => String(response.getHeader('Content-Type')).startsWith('application/json'),
});

/**
 * Compresses JSON for the dashboard where the client takes it (docs/reference/http.md#compression). Only GETs: their answers
 * hold no secret, so their length can't betray one (the BREACH attack).
 */
export function compressJson(request: Request, response: Response, next: NextFunction): void {
  if (request.method === 'GET' && READ_BY_DASHBOARD.test(request.url)) compress(request, response, next);
  else next();
}
