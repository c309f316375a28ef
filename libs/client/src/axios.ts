import { assertBodyIsKnown, isNodeForm, readNodeForm } from './body.js';
import { GatewayError } from './errors.js';
import { createGatewayFetch } from './gateway-fetch.js';
import type { Fetch, GatewayOptions } from './options.js';

/** What is needed of axios 1.12 and newer. */
interface Axios {
  // axios types its parts with itself; naming them would make it a dependency.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  getAdapter(name: 'fetch', config: any): (config: any) => Promise<unknown>;
}

/** What is needed of axios' headers. */
interface AxiosHeaders {
  get(name: string): string | null | undefined;
  concat(more: Record<string, string>): AxiosHeaders;
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
      return await adapter(await asFetchTakesIt(config));
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      throw cause instanceof GatewayError ? cause : error;
    }
  }) as ReturnType<A['getAdapter']>;
}

/** axios writes this on every body that has no type. */
const DEFAULT_TYPE = 'application/x-www-form-urlencoded';

/**
 * axios' fetch adapter sends a form of Node as `[object FormData]`, and forms and blobs of the platform under axios' default
 * type. Its adapter for Node does better, and so does this.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function asFetchTakesIt(config: any): Promise<unknown> {
  const { data, headers } = config as { data: unknown; headers: AxiosHeaders };
  if (isNodeForm(data))
    return { ...config, data: await readNodeForm(data), headers: headers.concat(data.getHeaders()) };
  assertBodyIsKnown(data);
  if (!(headers.get('Content-Type') ?? DEFAULT_TYPE).startsWith(DEFAULT_TYPE)) return config;
  // Without a boundary axios takes the type out again, and `fetch` writes it with one.
  if (data instanceof FormData)
    return { ...config, headers: headers.concat({ 'Content-Type': 'multipart/form-data' }) };
  if (data instanceof Blob) {
    return { ...config, headers: headers.concat({ 'Content-Type': data.type || 'application/octet-stream' }) };
  }
  return config;
}
