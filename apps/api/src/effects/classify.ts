import type { RequestEffect } from '#contracts/risk';
import { requestMethods, type MethodStatement } from '../request-reading/request-methods.js';
import type { DescribedOperation } from './described-operation.js';

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** What a request does, in words (docs/reference/effects.md). Never fails. */
export function classify(
  request: MethodStatement,
  _baseUrl: string,
  _operation: DescribedOperation | null,
): readonly RequestEffect[] {
  const methods = requestMethods(request);
  const reason = `the method is ${methods[0]}`;
  return [
    ...(methods.includes('DELETE') ? [{ effect: 'delete' as const, reason }] : []),
    { effect: methods.every((method) => READS.includes(method)) ? ('read' as const) : ('write' as const), reason },
  ];
}
