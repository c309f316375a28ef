import { GatewayError } from './errors.js';
import { createGatewayFetch } from './gateway-fetch.js';
import type { Fetch, GatewayOptions } from './options.js';

/** What is needed of axios 1.12 and newer. */
interface Axios {
  // axios types its parts with itself; naming them would make it a dependency.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  getAdapter(name: 'fetch', config: any): (config: any) => Promise<unknown>;
}

/**
 * An `adapter` for axios: `axios.create({ adapter: createGatewayAdapter(axios, options) })`. It is axios' own fetch adapter on
 * the gateway's fetch, so that everything that axios does with requests and answers stays. Refusals reject with the
 * `GatewayError` itself, not wrapped into an AxiosError.
 */
export function createGatewayAdapter<A extends Axios>(axios: A, options: GatewayOptions): ReturnType<A['getAdapter']> {
  const fetch: Fetch = createGatewayFetch(options);
  const adapter = axios.getAdapter('fetch', { env: { fetch } });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return (async (config: any) => {
    try {
      return await adapter(config);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      throw cause instanceof GatewayError ? cause : error;
    }
  }) as ReturnType<A['getAdapter']>;
}
