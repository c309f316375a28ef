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

describe('a limit that is used up', () => {
  /** Answers the first call with 429, and all others with 200. */
  function limitedGateway(retryAfter: string, code = 'limit_reached') {
    const keys: (string | null)[] = [];
    const fetch = (_url: string | URL | Request, init?: RequestInit) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      const body = JSON.stringify({ error: 'Limit reached: Few', statusCode: 429 });
      const headers = { 'Retry-After': retryAfter, 'X-Error-Code': code };
      return Promise.resolve(
        keys.length === 1
          ? new Response(body, { status: 429, headers })
          : new Response('{}', { headers: { 'X-Proxy-Status': 'forwarded' } }),
      );
    };
    const send = createGatewayFetch({ gatewayUrl: 'http://gateway', agentKey: 'agt_x', intent: 'try', fetch });
    return { keys, send: () => send('https://api.example.com/', { method: 'POST', body: '{}' }) };
  }

  it('is waited for if it starts again within a minute, with the same key', async () => {
    const { keys, send } = limitedGateway('0');
    expect((await send()).status).toBe(200);
    expect(keys).toEqual([expect.any(String), keys[0]]);
  });

  it('is an error with the whole time if it lasts longer, and so is any other 429', async () => {
    const long = limitedGateway('7200');
    await expect(long.send()).rejects.toMatchObject({
      code: 'limit_reached',
      status: 429,
      message: 'Limit reached: Few',
      retryAfterMs: 7_200_000,
    });
    const other = limitedGateway('0', 'too_many_pending');
    await expect(other.send()).rejects.toMatchObject({ code: 'too_many_pending' });
    expect([long.keys.length, other.keys.length]).toEqual([1, 1]);
  });
});
