/**
 * Node creates one object for each chunk of a body. The gateway must neither keep those objects for chunks of one byte,
 * nor handle any number of them.
 */
import { connect, type Socket } from 'node:net';
import { startChildGateway, type ChildGateway } from '../support/child-gateway.js';
import { eventually } from '../support/eventually.js';
import { rawRequest } from '../support/raw-http.js';

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

const head =
  'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const port = (): number => Number(new URL(gateway.url).port);

it('chunks of one byte from strangers take little more memory than their bytes', async () => {
  const before = gateway.rssMib();
  let taken = 0;
  for (let n = 0; n < SENDERS; n++) {
    const socket = connect(port(), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(head + '1\r\n \r\n'.repeat(BODY_BYTES), () => taken++);
  }
  await eventually(() => taken === SENDERS);
  // An answer to a later request shows that the gateway has read the chunks.
  await eventually(async () => (await fetch(`${gateway.url}/health`)).ok);
  expect(gateway.rssMib() - before).toBeLessThan(LIMIT_MIB);
});

const login = JSON.stringify({ email: 'nobody@example.com', password: 'p'.repeat(100) });

it('a login in hundreds of chunks is read; a body in thousands of chunks is refused, and the connection is closed', async () => {
  const ask = (body: string) => rawRequest(port(), [head + body]);
  expect(await ask('1\r\n \r\n'.repeat(BODY_BYTES))).toMatchObject({
    status: 400,
    body: '{"error":"The request body came in too many small pieces","statusCode":400}',
    headers: { connection: 'close' },
  });
  const chunks = Array.from(login.padEnd(900), (byte) => `1\r\n${byte}\r\n`).join('');
  expect((await ask(`${chunks}0\r\n\r\n`))?.headers['x-error-code']).toBe('credentials_wrong');
});

it.each([1, 2, 20])(
  'a body with too many chunks of %i bytes gets 400 even if it is complete, and is not read as a shorter body',
  async (size) => {
    // What comes after the last chunk that is read is only blanks.
    const chunks = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`.repeat(60_000 / size);
    const first = `${login.length.toString(16)}\r\n${login}\r\n`;
    expect((await rawRequest(port(), [`${head}${first}${chunks}0\r\n\r\n`]))?.status).toBe(400);
  },
);
