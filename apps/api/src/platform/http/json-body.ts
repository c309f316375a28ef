import type { Request } from 'express';
import { DEFAULT_BODY_MAX_BYTES, DOCUMENTATION_BODY_MAX_BYTES, PROXY_BODY_MAX_BYTES } from '#contracts/limits';
import { ApiError, errors } from '../errors.js';
import type { BodyBudget } from './body-budget.js';
import { inMb, readBytes } from './body-bytes.js';
import { parseJsonObject, parseLargeJsonObject } from './json-parser.js';
import { declaresBody } from './unread-body.js';
import { parseYamlObject } from './yaml-parser.js';

const MIB = 1024 * 1024;
/** The path that takes YAML too. */
const IMPORT = /^\/workspaces\/[^/]+\/import$/;
/** JSON can use six bytes to encode one byte. */
const ESCAPED = 6;
/** Limit for everything except the body in a call that will be forwarded. */
const CALL_REST_MAX_BYTES = MIB;
/** Finds the call to forward in the body of a request. */
const CALLS: Partial<Record<string, (request: object) => unknown>> = {
  '/proxy': (request) => request,
  '/mcp': (request) => (request as { params?: { arguments?: unknown } | null }).params?.arguments,
};

/**
 * Reads a JSON request body, or YAML where a path takes it, within limits (docs/reference/http.md#bodies). It replaces
 * Express's parser because it must refuse deep nesting, NUL and `__proto__` before anything recurses over the value,
 * and because each path has its own size limit.
 * @throws ApiError 400, 413, 415, 429, 503
 */
export async function readJsonBody(request: Request, budget: BodyBudget, callMaxBytes: number): Promise<object> {
  if (request.method === 'GET' || request.method === 'HEAD' || !declaresBody(request)) return {};
  const type = request.headers['content-type'] ?? '';
  const path = normalizePath(request);
  const isYaml = /^application\/yaml\s*(;|$)/i.test(type) && IMPORT.test(path);
  if (!isYaml && !/^application\/json\s*(;|$)/i.test(type)) throw errors.unsupportedMediaType();
  assertNotEncoded(request);
  if (isYaml) {
    const bytes = await readBytes(request, limitFor(path), limitFor(path), budget);
    return parseYamlObject(bytes, budget.sender ?? budget);
  }
  const findCall = CALLS[path];
  return findCall ? readCall(request, findCall, callMaxBytes, budget) : readJson(request, limitFor(path), budget);
}

async function readJson(request: Request, maxBytes: number, budget: BodyBudget): Promise<object> {
  const bytes = await readBytes(request, maxBytes, maxBytes, budget);
  return budget.json === undefined ? parseLarge(bytes, budget) : parseJsonObject(bytes, budget.json);
}

const parseLarge = (bytes: Uint8Array<ArrayBuffer>, budget: BodyBudget): object | Promise<object> =>
  parseLargeJsonObject(bytes, budget.sender ?? budget);

/** For a call to forward, the size limit applies to its decoded body, not to its JSON encoding. */
async function readCall(
  request: Request,
  findCall: (request: object) => unknown,
  bodyMaxBytes: number,
  budget: BodyBudget,
): Promise<object> {
  const maxBytes = ESCAPED * bodyMaxBytes + CALL_REST_MAX_BYTES;
  const bytes = await readBytes(request, maxBytes, bodyMaxBytes, budget);
  if (bytes.length <= bodyMaxBytes) return parseLarge(bytes, budget);
  const tooLarge = errors.bodyTooLarge(inMb(bodyMaxBytes));
  const whole = await Promise.resolve(parseLarge(bytes, budget)).catch(() => Promise.reject(tooLarge));
  const { body, bodyBase64 } = (findCall(whole) ?? {}) as { body?: unknown; bodyBase64?: unknown };
  const [text, base64] = [body, bodyBase64].map((field) => (typeof field === 'string' ? field : ''));
  const [textBytes, base64Bytes] = [Buffer.byteLength(text), Buffer.byteLength(base64, 'base64')];
  const restBytes = textSize(whole) - textBytes - Buffer.byteLength(base64);
  if (Math.max(textBytes, base64Bytes) > bodyMaxBytes || restBytes > CALL_REST_MAX_BYTES) throw tooLarge;
  return whole;
}

/** The total size of all texts in the value. Its depth and number of values are already limited. */
function textSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((size, [key, entry]) => size + Buffer.byteLength(key) + textSize(entry), 0);
}

/** Normalises a path like the router, which ignores letter case and a trailing slash. */
const normalizePath = ({ path }: Request): string => path.toLowerCase().replace(/\/$/, '');

function limitFor(path: string): number {
  if (path === '/risk/assess') return PROXY_BODY_MAX_BYTES;
  return /^\/services\/[^/]+\/documentation/.test(path) ? DOCUMENTATION_BODY_MAX_BYTES : DEFAULT_BODY_MAX_BYTES;
}

/** @throws ApiError 415 */
function assertNotEncoded({ headers }: Request): void {
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    throw new ApiError(415, 'Content-Encoding is not supported: send the body without it');
  }
}
