import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createMigratedDatabase } from './databases.js';

export interface TcpProxy {
  port: number;
  /** Cuts every connection and refuses new ones, as if the server behind it were away. */
  stop(): Promise<void>;
  /** Listens on the same port as before. */
  start(): Promise<void>;
  /** How many bytes the server behind it has sent. */
  bytesSent(): number;
}

/** Sits in front of a server that a test takes away for a while, such as the database that other tests also use. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let server: Server;
  let port = 0;
  let bytesSent = 0;

  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    return socket;
  };
  const start = async (): Promise<void> => {
    server = createServer((client) => {
      const upstream = keep(connect(target));
      keep(client).pipe(upstream).pipe(client);
      upstream.on('data', (bytes) => (bytesSent += bytes.length));
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };

  await start();
  return {
    port,
    start,
    bytesSent: () => bytesSent,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A new database behind such a server. */
export async function startDatabaseProxy(): Promise<{ link: TcpProxy; databaseUrl: string }> {
  const url = new URL(await createMigratedDatabase());
  const link = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${link.port}`;
  return { link, databaseUrl: url.href };
}

export interface Front {
  /** With an IP address as host; browsers give passkeys to `localhost` only. */
  url: string;
  port: number;
  /** From now on, the front leads to the server at this URL. */
  leadTo(url: string): void;
  stop(): Promise<void>;
}

/**
 * The address of a gateway that does not listen yet: a provider needs the address before it starts, and the gateway
 * needs the provider's.
 */
export async function startFront(): Promise<Front> {
  const target = { host: '127.0.0.1', port: 0 };
  const { port, stop } = await startTcpProxy(target);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    leadTo: (url) => void (target.port = Number(new URL(url).port)),
    stop,
  };
}
