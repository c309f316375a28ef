import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import {
  DEFAULT_BODY_MAX_BYTES,
  DOCUMENTATION_BODY_MAX_BYTES,
  JSON_MAX_DEPTH,
  JSON_MAX_KEYS,
  JSON_MAX_VALUES,
  PROXY_BODY_MAX_BYTES,
} from '#contracts/limits';
import { ApiError, errors } from '../errors.js';

/**
 * Reads a JSON request body into `request.body`, under the limits of contract 1. Ours instead of Express's, since depth,
 * NUL and `__proto__` must be refused before anything recurses over the value, and each path has its own size limit.
 */
export function jsonBody(request: Request, _response: Response, next: NextFunction): void {
  if (!hasBody(request)) {
    request.body = {};
    next();
    return;
  }
  readJson(request, limitFor(request.path)).then((body) => {
    request.body = body;
    next();
  }, next);
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** As the router reads a path: case and a closing slash make no difference to it. */
function limitFor(requestPath: string): number {
  const path = requestPath.toLowerCase().replace(/\/$/, '');
  if (path === '/proxy' || path === '/mcp' || path === '/risk/assess') return PROXY_BODY_MAX_BYTES;
  return /^\/services\/[^/]+\/documentation/.test(path) ? DOCUMENTATION_BODY_MAX_BYTES : DEFAULT_BODY_MAX_BYTES;
}

async function readJson(request: IncomingMessage, maxBytes: number): Promise<object> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) throw errors.unsupportedMediaType();
  assertNotEncoded(request);
  return parseJsonObject(await readBytes(request, maxBytes));
}

/** @throws ApiError 415 */
export function assertNotEncoded({ headers }: IncomingMessage): void {
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    throw new ApiError(415, 'Content-Encoding is not supported: send the body as it is');
  }
}

/** @throws ApiError 400, 413 */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => errors.bodyTooLarge(maxBytes / (1024 * 1024));
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge());
      }
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(errors.invalid('The request ended before its body was complete'));
    });
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws ApiError 400 for anything but one JSON object that is safe to walk */
export function parseJsonObject(bytes: Uint8Array): object {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    throw errors.invalidJson();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw errors.notAnObject();
  refuseUnsafe(value, 1);
  return value;
}

/** `constructor` as an own key makes the library that builds our DTOs throw. */
const UNSAFE_KEYS = new Set(['__proto__', 'constructor']);

/** @returns how many values stand in it, itself included */
function refuseUnsafe(value: unknown, depth: number): number {
  if (typeof value === 'string') refuseUnstorable(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (depth > JSON_MAX_DEPTH) throw errors.invalid(`JSON must not be nested deeper than ${JSON_MAX_DEPTH} levels`);
  let count = 1;
  if (Array.isArray(value)) {
    for (const entry of value) count += refuseUnsafe(entry, depth + 1);
  } else {
    const keys = Object.keys(value);
    if (keys.length > JSON_MAX_KEYS) throw errors.invalid(`JSON objects must not have more than ${JSON_MAX_KEYS} keys`);
    for (const key of keys) {
      refuseUnstorable(key);
      if (UNSAFE_KEYS.has(key)) throw errors.invalid(`JSON must not have a key ${key}`);
      count += refuseUnsafe((value as Record<string, unknown>)[key], depth + 1);
    }
  }
  if (count > JSON_MAX_VALUES) throw errors.invalid(`JSON must not have more than ${JSON_MAX_VALUES} values`);
  return count;
}

/** PostgreSQL's text has neither NUL (contract 1) nor halves of surrogate pairs, which UTF-8 can't say. */
function refuseUnstorable(text: string): void {
  if (text.includes('\0')) throw errors.invalid('JSON must not contain NUL characters');
  if (!text.isWellFormed()) throw errors.invalid('JSON must not contain unpaired surrogates');
}
