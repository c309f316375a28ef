import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Drain } from './drain.js';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

async function serve(onRequest: (response: ServerResponse) => void): Promise<{ server: Server; drain: Drain }> {
  const server = createServer((_request, response) => onRequest(response));
  const drain = new Drain();
  drain.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, drain };
}

async function open(server: Server): Promise<Socket> {
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await accepted;
  return socket;
}

it('does not wait for connections that never sent a request', async () => {
  const { server, drain } = await serve((response) => response.end());
  const socket = await open(server);
  const closed = once(socket, 'close');
  await drain.run(server, 0);
  await closed;
});

it('lets a request in progress finish', async () => {
  let answer: ServerResponse | undefined;
  const { server, drain } = await serve((response) => (answer = response));
  const socket = await open(server);
  socket.write(GET);
  await once(server, 'request');
  const drained = drain.run(server, 0);
  answer!.end('done');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await once(socket, 'close');
  await drained;
  expect(received).toContain('done');
});
