import { hash } from 'node:crypto';
import { parseUrl, pathReadings } from '#egress';
import type { DescribedOperation } from '../effects/described-operation.js';
import { requestMethods, type MethodStatement } from '../request-reading/request-methods.js';
import { rpcFacts } from '../request-reading/rpc-calls.js';

/** A batch of more calls is always a first time. */
const CALLS_MAX = 50;

/**
 * The keys of the operations that a request calls: the tools and methods of JSON-RPC; else the documented operation; else
 * method and path. Equal keys are equal operations. Null: nobody can say which operations they are.
 */
export function operationKeys(
  request: MethodStatement,
  baseUrl: string,
  operation: DescribedOperation | null,
): readonly string[] | null {
  const place = placeOf(request, baseUrl, operation);
  const rpc = rpcFacts(request);
  if (place === null || rpc === 'undecidable') return null;
  if (rpc === null) return [key(...place)];
  if (rpc.calls.length > CALLS_MAX) return null;
  // With the place: elsewhere than at its endpoint, a server may not read the body as calls.
  return rpc.calls.map(({ method, tool }) => key(...(tool === null ? ['method', method] : ['tool', tool]), ...place));
}

/** The documented operation, otherwise method and path. A tool is no place: its list says nothing about paths. */
function placeOf(request: MethodStatement, baseUrl: string, operation: DescribedOperation | null): string[] | null {
  const methods = requestMethods(request).join();
  if (operation !== null && operation.path !== '') return ['operation', methods, operation.path, operation.id ?? ''];
  const url = parseUrl(request.targetUrl);
  return url === null ? null : ['path', methods, ...pathReadings(url, baseUrl)];
}

/** Short, whatever the length of the path. */
const key = (...parts: string[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 24);
