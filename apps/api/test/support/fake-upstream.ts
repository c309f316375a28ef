import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface UpstreamCall {
  method: string;
  /** Path and query as received. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export type UpstreamAnswer = (call: UpstreamCall, response: ServerResponse) => void;

export interface FakeUpstream {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** For `PRIVATE_TARGET_ALLOWLIST`. */
  hostAndPort: string;
  calls: UpstreamCall[];
  /** TCP connections accepted so far. */
  connections: number;
  /** Sets the handler for all later calls. */
  answer(handler: UpstreamAnswer): void;
  close(): Promise<void>;
}

const echo: UpstreamAnswer = (call, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ method: call.method, path: call.path, body: call.body.toString() }));
};

/**
 * A third-party API on loopback: a real server that records its calls.
 * @param port 0: any free one
 */
export async function startFakeUpstream(port = 0): Promise<FakeUpstream> {
  let handler = echo;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      upstream.calls.push(call);
      handler(call, response);
    });
  });
  server.on('connection', () => upstream.connections++);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  const upstream: FakeUpstream = {
    url: `http://127.0.0.1:${bound}`,
    hostAndPort: `127.0.0.1:${bound}`,
    calls: [],
    connections: 0,
    answer: (next) => {
      handler = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}
