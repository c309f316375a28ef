import type { Request } from 'express';
import { PROXY_BODY_MAX_BYTES } from '#contracts/limits';
import { ApiError } from '../errors.js';
import type { BodyBudget } from './body-budget.js';
import { readBytes } from './body-bytes.js';
import { assertNotEncoded } from './json-body.js';
import { declaresBody } from './unread-body.js';

const MIB = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a request body unchanged; null if there is none. Only text is accepted, because an approver must be able to read the body and
 * the database must be able to store it.
 * @throws ApiError 400, 413, 415, 429, 503
 */
export async function readTextBody(request: Request, budget: BodyBudget): Promise<string | null> {
  if (!declaresBody(request)) return null;
  assertNotEncoded(request);
  const bytes = await readBytes(request, PROXY_BODY_MAX_BYTES, PROXY_BODY_MAX_BYTES / MIB, budget);
  if (bytes.includes(0)) throw binary();
  try {
    return utf8.decode(bytes) || null;
  } catch {
    throw binary();
  }
}

const binary = (): ApiError =>
  new ApiError(415, 'The body must be UTF-8 text: the gateway does not accept binary bodies');
