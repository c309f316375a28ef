/** A client for raw servers on this machine. Both are closed after each test. */
import { EgressClient, type EgressClientOptions, type EgressRequest } from '../src/client.js';
import type { EgressFailure } from '../src/failure.js';
import { rawServer, type RawServer } from './raw-server.js';

export const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export async function serve(answer: Parameters<typeof rawServer>[0]): Promise<RawServer> {
  const server = await rawServer(answer);
  cleanups.push(() => server.close());
  return server;
}

/** Creates a client that may reach the given ports of this machine. */
export function clientFor(ports: number[], options: Partial<EgressClientOptions> = {}): EgressClient {
  const hosts = ['127.0.0.1', 'upstream.test'];
  const privateAllowlist = new Set(hosts.flatMap((host) => ports.map((port) => `${host}:${port}`)));
  const client = new EgressClient({ privateAllowlist, timeoutMs: 5_000, maxBytes: 10 * 1024 * 1024, ...options });
  cleanups.push(() => client.close());
  return client;
}

export const get = (url: string, extra: Partial<EgressRequest> = {}): EgressRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: {},
  body: null,
  ...extra,
});

export async function catchFailure(
  sending: Promise<unknown>,
): Promise<Pick<EgressFailure, 'kind' | 'sent' | 'reason'>> {
  const failure = await sending.then(
    () => Promise.reject(new Error('was answered')),
    (error: EgressFailure) => error,
  );
  return { kind: failure.kind, sent: failure.sent, reason: failure.reason };
}

export const ok = (body: string | Buffer, ...headers: string[]): Buffer =>
  Buffer.concat([
    Buffer.from(['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...headers, '', ''].join('\r\n'), 'latin1'),
    Buffer.from(body as string),
  ]);
