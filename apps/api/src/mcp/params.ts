import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type * as Sdk from './sdk.js';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null counts as absent, because many clients send it for what a model left out. */
export function withoutNulls(given: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(given);
  return entries.some(([, value]) => value === null)
    ? Object.fromEntries(entries.filter(([, value]) => value !== null))
    : given;
}

/**
 * The faults in the params of a request, in words. The SDK would answer with an internal error, or with the JSON of its
 * validator.
 */
export function paramsFaults({ method, params }: JSONRPCRequest, sdk: typeof Sdk): string[] {
  if (params !== undefined && !isObject(params)) return ['params: must be an object'];
  if (method === 'tools/call') return callFaults(params);
  const schema = { initialize: sdk.InitializeRequestSchema, 'tools/list': sdk.ListToolsRequestSchema }[method];
  const parsed = schema?.safeParse({ method, params });
  if (parsed === undefined || parsed.success) return [];
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** By hand, because this is the hot path. */
function callFaults(params: JSONRPCRequest['params']): string[] {
  if (params === undefined) return ['params: is required'];
  const { name, arguments: given, _meta: meta } = params;
  const token = isObject(meta) ? meta.progressToken : undefined;
  return [
    ...(typeof name === 'string' ? [] : ['params.name: must be a string']),
    ...(given === undefined || isObject(given) ? [] : ['params.arguments: must be an object']),
    ...(meta === undefined || isObject(meta) ? [] : ['params._meta: must be an object']),
    ...(token === undefined || typeof token === 'string' || Number.isInteger(token)
      ? []
      : ['params._meta.progressToken: must be a string or an integer']),
  ];
}
