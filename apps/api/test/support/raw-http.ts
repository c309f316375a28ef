import { connect } from 'node:net';

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
