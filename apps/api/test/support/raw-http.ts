import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends these bytes unchanged and reads one response.
 * @param giveUp ends the wait for a response
 * @returns null when the connection or the wait ended without a response
 */
export function rawRequest(
  port: number,
  bytes: (string | Buffer)[],
  giveUp = AbortSignal.timeout(60_000),
): Promise<RawAnswer | null> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of bytes) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    });
    const finish = (): void => {
      socket.destroy();
      resolve(parse(received));
    };
    giveUp.addEventListener('abort', finish);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answer = parse(received);
      const length = Number(answer?.headers['content-length'] ?? NaN);
      if (answer && Buffer.byteLength(answer.body, 'latin1') >= length) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

/** The head of a request. @param headers whole lines, each with its end */
export const requestHead = (method: string, path: string, headers: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

/** What a client sees of a refusal. */
export const refusal = ({ status, body, headers }: RawAnswer) => ({
  status,
  error: (JSON.parse(body) as { error: string }).error,
  code: headers['x-error-code'],
  retryAfter: headers['retry-after'],
});

const open: Socket[] = [];

/** Sends these parts and nothing more, and stays connected until {@link hangUp}. */
export async function unfinished(port: number, ...parts: (string | Buffer)[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  open.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
  return socket;
}

/** Closes the connections of {@link unfinished}. */
export function hangUp(): void {
  for (const socket of open.splice(0)) socket.destroy();
}

function parse(received: Buffer): RawAnswer | null {
  const text = received.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  if (end < 0 || status === undefined) return null;
  if (status === '100') return parse(received.subarray(end + 4));
  const headers = text
    .slice(0, end)
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(/: (.*)/s, 2).map((part, n) => (n === 0 ? part.toLowerCase() : part)));
  return {
    status: Number(status),
    headers: Object.fromEntries(headers) as RawAnswer['headers'],
    body: text.slice(end + 4),
  };
}
