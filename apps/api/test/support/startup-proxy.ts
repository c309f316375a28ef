import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

const SSL_REQUEST = 80_877_103;
/** What PgBouncer lets through as it is configured in Debian. */
const KNOWN = [
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
];

export interface StartupProxy {
  /** The URL of the database behind it. */
  url: string;
  /** Each parameter of each start packet. */
  seen: Set<string>;
  stop(): Promise<void>;
}

/** Reads the start packet of each connection, refuses what PgBouncer refuses, and passes everything else on. */
export async function startStartupProxy(databaseUrl: string): Promise<StartupProxy> {
  const target = new URL(databaseUrl);
  const seen = new Set<string>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    client.once('data', (packet) => begin(client, packet));
  });
  const begin = (client: Socket, packet: Buffer): void => {
    if (packet.readInt32BE(4) === SSL_REQUEST) {
      client.once('data', (next) => begin(client, next));
      return void client.write('N');
    }
    const words = packet.subarray(8).toString().split('\0');
    const names = words.filter((_, index) => index % 2 === 0).filter((name) => name !== '');
    for (const name of names) seen.add(name);
    const unknown = names.find((name) => !KNOWN.includes(name.toLowerCase()));
    if (unknown !== undefined) return void client.end(refusal(`unsupported startup parameter: ${unknown}`));
    const database = connect(Number(target.port), target.hostname);
    sockets.add(database);
    database.on('error', () => client.destroy());
    database.write(packet);
    client.pipe(database).pipe(client);
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    seen,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function refusal(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
