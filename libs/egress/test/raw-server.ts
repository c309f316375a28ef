import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A raw TCP server. It responds to each request head with the bytes that the test gives, and records what it receives.
 */
export interface RawServer {
  port: number;
  origin: string;
  connections: number;
  /** Every request head and body as received, one string per connection. */
  received: string[];
  open: Set<Socket>;
  close(): Promise<void>;
}

/** `answer` is called once per request head. A string is written unchanged, and the socket stays open. */
export async function rawServer(
  answer: string | Buffer | ((socket: Socket, head: string) => void),
): Promise<RawServer> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const index = raw.connections++;
    raw.received[index] = '';
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    let pending = '';
    socket.on('data', (chunk) => {
      raw.received[index] += chunk.toString('latin1');
      pending += chunk.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        const head = pending.slice(0, end);
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
        if (pending.length < end + 4 + length) return;
        pending = pending.slice(end + 4 + length);
        if (typeof answer === 'function') answer(socket, head);
        else socket.write(answer);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const raw: RawServer = {
    port,
    origin: `http://127.0.0.1:${port}`,
    connections: 0,
    received: [],
    open,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return raw;
}
