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
  const rpc = rpcFacts(request);
  if (rpc === 'undecidable') return null;
  if (rpc !== null) {
    const calls = rpc.calls.slice(0, CALLS_MAX + 1);
    if (calls.length > CALLS_MAX) return null;
    return calls.map(({ method, tool }) => (tool === null ? key('method', method) : key('tool', tool)));
  }
  const methods = requestMethods(request).join();
  if (operation !== null) return [key('operation', methods, operation.path, operation.id ?? '')];
  const url = parseUrl(request.targetUrl);
  return url === null ? null : [key('path', methods, ...pathReadings(url, baseUrl))];
}

/** Short, whatever the length of the path. */
const key = (...parts: string[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 24);
