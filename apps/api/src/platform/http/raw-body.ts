import type { Request } from 'express';
import type { BodyBudget } from './body-budget.js';
import { readBytes } from './body-bytes.js';
import { declaresBody } from './unread-body.js';

/** Reads the bytes of a request body; null if there is none. @throws ApiError 400, 413, 429, 503 */
export async function readRawBody(request: Request, budget: BodyBudget, maxBytes: number): Promise<Buffer | null> {
  if (!declaresBody(request)) return null;
  const bytes = await readBytes(request, maxBytes, maxBytes, budget);
  return bytes.length === 0 ? null : bytes;
}
