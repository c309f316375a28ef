import { createGatewayFetch } from './gateway-fetch.js';

/** A gateway that forwards everything and records the idempotency keys it receives. */
function fakeGateway() {
  const keys: (string | null)[] = [];
  const fetch = (_url: string | URL | Request, init?: RequestInit) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'));
    return Promise.resolve(new Response('{}', { headers: { 'X-Proxy-Status': 'forwarded' } }));
  };
  return { keys, fetch };
}

const given = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!;
afterEach(() => Object.defineProperty(globalThis, 'crypto', given));

it.each([
  ['with the global crypto', given],
  ['without it, as in Node 18', { value: undefined, configurable: true }],
  ['without its randomUUID, as on pages that are not from https', { value: {}, configurable: true }],
])('creates a different key for each POST %s', async (_name, descriptor) => {
  Object.defineProperty(globalThis, 'crypto', descriptor);
  const gateway = fakeGateway();
  const send = createGatewayFetch({
    gatewayUrl: 'http://gateway',
    agentKey: 'agt_x',
    intent: 'try',
    fetch: gateway.fetch,
  });
  for (let i = 0; i < 100; i++) await send('https://api.example.com/', { method: 'POST', body: '{}' });
  expect(new Set(gateway.keys).size).toBe(100);
  for (const key of gateway.keys) expect(key).toMatch(/^[\w-]{20,64}$/);
});
