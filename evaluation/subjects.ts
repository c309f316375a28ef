/** Turns the requests of the evaluation set into what the gateway judges. */
import type { RequestEffect } from '#contracts/risk';
import type { HttpMethod } from '#contracts';
import { classify } from '../apps/api/src/effects/classify.js';
import type { RiskRequest } from '../apps/api/src/risk/risk-verdict.js';
import { readDocumentation, type Documented } from './documented.js';
import type { EvaluatedApi, EvaluatedRequest } from './format.js';

export interface Evaluated {
  request: EvaluatedRequest;
  /** As the gateway stores it. */
  sent: RiskRequest;
  isDocumented: boolean;
  baseUrl: string;
  /** What the model reads of the description. */
  documentation: string;
  effects: readonly RequestEffect[];
}

export function evaluateApi(api: EvaluatedApi): Evaluated[] {
  const documented = readDocumentation(api.baseUrl, api.documentation);
  return api.requests.map((request) => {
    const isChanged = request.kind === 'injection' && request.addition !== undefined;
    return evaluate(
      api.baseUrl,
      request,
      isChanged ? readDocumentation(api.baseUrl, withAddition(api, request)) : documented,
    );
  });
}

export const toSent = (
  baseUrl: string,
  { method, path, headers = {}, body, intent }: EvaluatedRequest,
): RiskRequest => ({
  method: method as HttpMethod,
  targetUrl: `${baseUrl}${path}`,
  headers,
  body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  intent,
});

function evaluate(baseUrl: string, request: EvaluatedRequest, documented: Documented): Evaluated {
  const sent = toSent(baseUrl, request);
  const operation = documented.match(sent.method, sent.targetUrl);
  return {
    request,
    sent,
    isDocumented: operation !== null || documented.tools !== null,
    baseUrl,
    documentation: documented.excerpt(sent.method, sent.targetUrl),
    effects: effectsOf(baseUrl, sent, documented),
  };
}

export const effectsOf = (baseUrl: string, sent: RiskRequest, documented: Documented): readonly RequestEffect[] =>
  classify(sent, baseUrl, documented.match(sent.method, sent.targetUrl), documented.tools);

/** The description with the text of an injection in it. */
function withAddition(api: EvaluatedApi, request: EvaluatedRequest): EvaluatedApi['documentation'] {
  if (request.kind !== 'injection' || !request.addition || api.documentation === null) return api.documentation;
  const { pointer, text } = request.addition;
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const content = structuredClone(api.documentation.content);
  const holder = keys.slice(0, -1).reduce((node, key) => node[key] as Record<string, unknown>, content);
  holder[keys.at(-1)!] = text;
  return { ...api.documentation, content };
}
