import type { HttpMethod } from '#contracts';
import { classifySteps } from '../../src/effects/classify.js';
import type { DescribedOperation } from '../../src/effects/described-operation.js';
import { atOnce } from '../../src/platform/short-steps.js';

const BASE = 'https://api.example.com/v1';

/** What a test of effects says of a request. */
export interface Given {
  operation?: Partial<DescribedOperation>;
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
  tools?: Partial<DescribedOperation>[];
  /** Others for which some server may take the request. */
  others?: Partial<DescribedOperation>[];
  base?: string;
}

const described = (operation: Partial<DescribedOperation>): DescribedOperation => ({
  id: null,
  method: 'POST',
  path: '',
  summary: '',
  tags: [],
  deprecated: false,
  queryParameters: [],
  fields: [],
  annotations: null,
  mayLower: true,
  ...operation,
});

/** What a request line such as `POST /orders` does. */
export function classified(
  line: string,
  { operation, body, type = 'application/json', headers, tools, others = [], base = BASE }: Given = {},
) {
  const [method, path] = line.split(' ', 2);
  const request = {
    method: method as HttpMethod,
    targetUrl: `${base}${path}`,
    headers: { 'Content-Type': type, ...headers },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  };
  const known = tools ? new Map(tools.map((tool) => [tool.id!, described(tool)])) : null;
  const named = (given: Partial<DescribedOperation>): DescribedOperation => described({ method, ...given });
  const operations = { operation: operation ? named(operation) : null, tools: known, others: others.map(named) };
  return atOnce(classifySteps(request, base, operations));
}

/** The effects with their reasons. */
export const reasons = (line: string, given?: Given) => classified(line, given).effects;

/** The effects in words: `delete write`. */
export const effects = (line: string, given?: Given): string =>
  reasons(line, given)
    .map(({ effect }) => effect)
    .join(' ');
