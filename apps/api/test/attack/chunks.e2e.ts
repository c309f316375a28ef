/** Node creates one object for each chunk of a body. The gateway must not keep those objects for chunks of one byte. */
import { connect, type Socket } from 'node:net';
import { startChildGateway, type ChildGateway } from '../support/child-gateway.js';
import { eventually } from '../support/eventually.js';

const SENDERS = 20;
const BODY_BYTES = 60_000;
const LIMIT_MIB = 100;

let gateway: ChildGateway;
const sockets: Socket[] = [];
beforeAll(async () => {
  gateway = await startChildGateway({});
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.stop();
});

it('chunks of one byte from strangers take little more memory than their bytes', async () => {
  const port = Number(new URL(gateway.url).port);
  const head =
    'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  const before = gateway.rssMib();
  let taken = 0;
  for (let n = 0; n < SENDERS; n++) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(head + '1\r\n \r\n'.repeat(BODY_BYTES), () => taken++);
  }
  await eventually(() => taken === SENDERS);
  // An answer to a later request shows that the gateway has read the chunks.
  await eventually(async () => (await fetch(`${gateway.url}/health`)).ok);
  expect(gateway.rssMib() - before).toBeLessThan(LIMIT_MIB);
});
