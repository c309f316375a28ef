import type { NextFunction, Request, Response } from 'express';
import { PROXY_BODY_MAX_BYTES } from '#contracts/limits';
import { ApiError } from '../errors.js';
import { assertNotEncoded, readBytes } from './json-body.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a request body as it is into `request.body`; null where there is none. Text only: a human who is to approve must be
 * able to read it, and the record to keep it.
 */
export function textBody(request: Request, _response: Response, next: NextFunction): void {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) {
    request.body = null;
    next();
    return;
  }
  read(request).then((text) => {
    request.body = text === '' ? null : text;
    next();
  }, next);
}

async function read(request: Request): Promise<string> {
  assertNotEncoded(request);
  const bytes = await readBytes(request, PROXY_BODY_MAX_BYTES);
  if (bytes.includes(0)) throw binary();
  try {
    return utf8.decode(bytes);
  } catch {
    throw binary();
  }
}

const binary = (): ApiError => new ApiError(415, 'The body must be UTF-8 text: the gateway takes no binary bodies');
