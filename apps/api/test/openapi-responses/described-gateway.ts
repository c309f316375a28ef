import { startGateway, type Gateway } from '../support/gateway.js';
import { readDocument, type ApiDocument } from '../support/openapi-document.js';
import { startOpenIdProvider } from '../support/openid-provider.js';
import { Slack } from '../support/slack.js';

export const PUBLIC_URL = 'https://gateway.example.com';
export const METRICS_TOKEN = 'token-of-prometheus';

/** A path whose ids are no numbers. */
export const BAD_ID = { path: ['x', 'x'] };
/** A path whose ids nothing has. */
export const NO_ID = { path: [2_000_000_000, 2_000_000_000] };

export interface Call {
  body?: object | string;
  headers?: Record<string, string>;
  /** Values of the path parameters, in order, and a query. */
  path?: (string | number)[];
  query?: string;
}

/** A gateway whose every response is checked against its own OpenAPI document. */
export interface DescribedGateway {
  gateway: Gateway;
  slack: Slack;
  document: ApiDocument;
  /** The statuses that were seen, by route. */
  covered: Map<string, Set<number>>;
  /** Sends a request, and checks the response against the document. */
  check<T = Record<string, unknown>>(route: string, status: number, call?: Call): Promise<T>;
  /** Asks for the options of a passkey, and sends what the device answers. */
  answerOptions<T>(from: string, to: string, status: number, body: (options: object) => object): Promise<T>;
  close(): Promise<void>;
}

export async function startDescribedGateway(): Promise<DescribedGateway> {
  const provider = await startOpenIdProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  const slack = await Slack.start();
  const gateway = await startGateway({
    PUBLIC_URL,
    METRICS_TOKEN,
    PRIVATE_CHANNEL_ALLOWLIST: slack.hostAndPort,
    ...provider.settings,
  });
  slack.serve(gateway.app);
  const document = await readDocument(gateway.url);
  const covered = new Map<string, Set<number>>();

  async function check<T = Record<string, unknown>>(route: string, status: number, call: Call = {}): Promise<T> {
    const { response, text } = await send(gateway, route, call);
    expect([route, response.status, text]).toEqual([route, status, expect.any(String)]);
    expectDescribed(document, route, response, text);
    covered.set(route, (covered.get(route) ?? new Set()).add(status));
    return (mediaType(response) === 'application/json' && text ? JSON.parse(text) : {}) as T;
  }

  async function answerOptions<T>(
    from: string,
    to: string,
    status: number,
    body: (options: object) => object,
  ): Promise<T> {
    const asked = await fetch(gateway.url + from, {
      method: 'POST',
      headers: { Authorization: `Bearer ${gateway.token}` },
    });
    const cookie = asked.headers.getSetCookie()[0].split(';')[0];
    const { options } = (await asked.json()) as { options: object };
    return check<T>(`POST ${to}`, status, { body: body(options), headers: { cookie } });
  }

  async function close(): Promise<void> {
    await gateway.close();
    await provider.close();
    await slack.close();
  }

  return { gateway, slack, document, covered, check, answerOptions, close };
}

const mediaType = (response: Response): string => response.headers.get('content-type')?.split(';')[0] ?? '';

/** Sends a request as the agent or as the owner. A stream is ended without being read. */
async function send(gateway: Gateway, route: string, call: Call): Promise<{ response: Response; text: string }> {
  const [method, template] = route.split(' ');
  const values = [...(call.path ?? [])];
  const path = template.replace(/\{\w+\}/g, () => String(values.shift())) + (call.query ?? '');
  const agent = /^\/(proxy|status|mcp|s\/|agent(\/|$))/.test(path);
  const response = await fetch(gateway.url + path, {
    method,
    headers: {
      ...(agent ? { 'Agent-Key': gateway.agentKey } : { Authorization: `Bearer ${gateway.token}` }),
      ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...call.headers,
    },
    body: typeof call.body === 'object' ? JSON.stringify(call.body) : call.body,
    redirect: 'manual',
  });
  if (mediaType(response) !== 'text/event-stream') return { response, text: await response.text() };
  await response.body?.cancel();
  return { response, text: '' };
}

/** Status, type, body and headers are those that the document has for the route. */
function expectDescribed(document: ApiDocument, route: string, response: Response, text: string): void {
  const { status } = response;
  const [method, template] = route.split(' ');
  const documented = document.operation(route).responses[String(status)];
  expect([route, status, documented]).toEqual([route, status, expect.any(Object)]);
  const type = mediaType(response);
  const types = Object.keys(documented.content ?? {});
  const expected = types.includes('*/*') ? '*/*' : type;
  expect([route, status, types]).toEqual([route, status, expected === '' ? [] : expect.arrayContaining([expected])]);
  if (type === 'application/json' && types.includes(type) && method !== 'HEAD') {
    const schema = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
    expect([route, status, document.violations(schema, JSON.parse(text))]).toEqual([route, status, null]);
  }
  expect(response.headers.get('x-request-id')).toBeTruthy();
  if (status < 400) return;
  const { schema } = documented.headers!['X-Error-Code'] as { schema: { enum: string[] } };
  expect([route, status, schema.enum]).toEqual([
    route,
    status,
    expect.arrayContaining([response.headers.get('x-error-code')]),
  ]);
}
