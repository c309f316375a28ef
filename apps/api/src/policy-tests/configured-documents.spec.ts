import type { Configuration } from '#contracts/configuration';
import { askedEffects, matchingOf } from '../risk/decide.js';
import { RequestFacts } from '../risk/request-facts.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { configuredOperations } from './configured-documents.js';
import type { FindDocumented } from './decided-case.js';

const BASE = 'https://shop.example.com/v1';
const operation = (summary: string) => ({ post: { summary, operationId: summary, responses: {} } });
const API = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders/{id}/reversal': operation('Refund an order'),
    '/orders/search': operation('Search orders'),
    '/mcp': operation('Send a message'),
  },
};
const TOOLS = { tools: [{ name: 'get_order' }, { name: 'delete_order' }] };

let find: FindDocumented;
beforeAll(async () => {
  const documentation = [
    { type: 'openapi', title: 'API', content: JSON.stringify(API) },
    { type: 'mcp', title: 'Tools', content: JSON.stringify(TOOLS) },
  ];
  const configuration = { services: [{ name: 'Shop', documentation }] } as unknown as Configuration;
  find = await configuredOperations(configuration, null, () => undefined);
});

const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });

function factsOf(path: string, body: unknown) {
  const request = {
    method: 'POST' as const,
    targetUrl: BASE + path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    intent: '',
  };
  const service = { name: 'Shop', baseUrl: BASE, documentIds: [1, 2], rules: [] } as unknown as ServiceView;
  return { request, service, facts: new RequestFacts(request, BASE, find(service, request), false) };
}
const effects = (path: string, body: unknown): string =>
  factsOf(path, body)
    .facts.effects.map(({ effect }) => effect)
    .join(' ');

describe('what a request to a documented operation does', () => {
  it.each(['/orders/5/reversal', '/Orders/5/REVERSAL', '/orders/5/reversal;x', '/orders/5/reversal?_method=PUT'])(
    'counts, whatever tool its body calls: %s',
    (path) => {
      for (const body of [
        {},
        call('get_order'),
        call('unknown'),
        { method: 'tools/call', params: { name: 'get_order' } },
      ])
        expect(effects(path, body)).toMatch(/money.* write$/);
      expect(effects(path, call('delete_order'))).toMatch(/^delete.*money.* write$/);
      expect(effects(path, [call('get_order'), call('delete_order')])).toMatch(/^delete.*money.* write$/);
    },
  );

  it('is what the tool does too', () => {
    expect(effects('/orders/search', {})).toBe('read');
    expect(effects('/orders/search', call('delete_order'))).toMatch(/^delete.* write$/);
    expect(effects('/mcp', call('get_order'))).toBe('read');
    expect(effects('/mcp', call('unknown'))).toMatch(/unclear write$/);
  });

  it('may be anything if its path has too many readings', () => {
    const { facts } = factsOf(`/${'a;b%3fc%00d%23e/'.repeat(400)}`, {});
    expect(askedEffects(['money'], facts).map(({ effect }) => effect)).toEqual(['unclear']);
  });
});

describe('a condition', () => {
  const matches = (effect: 'deny' | 'allow', when: string, path: string, body: unknown): boolean => {
    const { request, service, facts } = factsOf(path, body);
    const rule = { id: 1, name: 'R', effect, methods: [], pathPattern: '', agentIds: [], expiresAt: null, when };
    const ruled = { ...service, rules: [rule as unknown as ServiceRule] } as ServiceView;
    return matchingOf(ruled, 7, request, 0, facts).rules.length > 0;
  };

  it('about an operation can not be avoided by the call of a tool', () => {
    const when = 'operation != null && operation.id == "Refund an order"';
    for (const body of [{}, call('get_order'), call('unknown')]) {
      expect(matches('deny', when, '/orders/5/reversal', body)).toBe(true);
      expect(matches('deny', when, '/Orders/5/REVERSAL', body)).toBe(true);
    }
    expect(matches('deny', when, '/mcp', call('get_order'))).toBe(false);
  });

  it('about a tool permits it only where it is called', () => {
    const when = 'operation != null && operation.id == "get_order"';
    expect(matches('allow', when, '/mcp', call('get_order'))).toBe(true);
    for (const path of ['/orders/5/reversal', '/ORDERS/5/reversal'])
      expect(matches('allow', when, path, call('get_order'))).toBe(false);
  });
});
