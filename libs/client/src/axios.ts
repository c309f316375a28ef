import { assertBodyIsKnown, isNodeForm, readNodeForm } from './body.js';
import { GatewayError } from './errors.js';
import { createGatewayFetch } from './gateway-fetch.js';
import type { Fetch, GatewayOptions } from './options.js';

/** The part of axios (1.12 and newer) that is used here. */
interface Axios {
  // Using axios' own types would make axios a dependency.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  getAdapter(name: 'fetch', config: any): (config: any) => Promise<unknown>;
}

/** The part of axios' headers that is used here. */
interface AxiosHeaders {
  get(name: string): string | null | undefined;
  concat(more: Record<string, string>): AxiosHeaders;
}

/**
 * An `adapter` for axios: `axios.create({ adapter: createGatewayAdapter(axios, options) })`. It is axios' own fetch
 * adapter with the gateway's fetch, so axios handles requests and responses as usual. Refused requests reject with the
 * `GatewayError` itself, not with an AxiosError around it.
 */
export function createGatewayAdapter<A extends Axios>(axios: A, options: GatewayOptions): ReturnType<A['getAdapter']> {
  const fetch: Fetch = createGatewayFetch(options);
  const adapter = axios.getAdapter('fetch', { env: { fetch } });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return (async (config: any) => {
    try {
      return await adapter(await asFetchTakesIt(config));
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      throw cause instanceof GatewayError ? cause : error;
    }
  }) as ReturnType<A['getAdapter']>;
}

/** axios sets this type on every body without a type. */
const DEFAULT_TYPE = 'application/x-www-form-urlencoded';

/**
 * Fixes bodies that axios' fetch adapter sends incorrectly. It sends a Node form as `[object FormData]`, and the
 * platform's forms and blobs with axios' default type. axios' adapter for Node sends them correctly.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function asFetchTakesIt(config: any): Promise<unknown> {
  const { data, headers } = config as { data: unknown; headers: AxiosHeaders };
  if (isNodeForm(data))
    return { ...config, data: await readNodeForm(data), headers: headers.concat(data.getHeaders()) };
  assertBodyIsKnown(data);
  if (!(headers.get('Content-Type') ?? DEFAULT_TYPE).startsWith(DEFAULT_TYPE)) return config;
  // axios removes a type without a boundary, and then `fetch` sets the type with a boundary.
  if (data instanceof FormData)
    return { ...config, headers: headers.concat({ 'Content-Type': 'multipart/form-data' }) };
  if (data instanceof Blob) {
    return { ...config, headers: headers.concat({ 'Content-Type': data.type || 'application/octet-stream' }) };
  }
  return config;
}
