import { createServer, type AddressInfo, type Socket } from 'node:net';

const ANSWER = 'HTTP/1.1 413 Content Too Large\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\ntoo large';

/** What a server does with the connection after it has refused an upload in its middle. */
const ENDS = {
  ends: (socket: Socket) => socket.end(ANSWER),
  resets: (socket: Socket) => socket.write(ANSWER, () => socket.resetAndDestroy()),
  lingers: (socket: Socket) => socket.write(ANSWER),
};
export type End = keyof typeof ENDS;
export const ALL_ENDS = Object.keys(ENDS) as End[];

export interface RefusingServer {
  port: number;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** What it does from the next connection on. */
  end: End;
  /** How many bytes it read from each connection. */
  read(): number[];
  close(): Promise<void>;
}

/** A server that answers 413 after the first bytes of a request, and reads no more. */
export async function refusingServer(end: End): Promise<RefusingServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.pause();
      ENDS[refusing.end](socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const refusing: RefusingServer = {
    port,
    origin: `http://127.0.0.1:${port}`,
    end,
    read: () => sockets.map((socket) => socket.bytesRead),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return refusing;
}
