import { once } from 'node:events';
import { createServer, get, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { abortWhenGone } from './client-gone.js';

let server: Server;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => server.close());

async function asked() {
  const { port } = server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1' }).on('error', () => {});
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { request, response };
}

it('aborts when the caller hangs up', async () => {
  const { request, response } = await asked();
  const gone = abortWhenGone(response);
  expect(gone.aborted).toBe(false);
  request.destroy();
  await once(gone, 'abort');
});

it('is aborted if the caller hung up before the call', async () => {
  const { request, response } = await asked();
  request.destroy();
  await once(response, 'close');
  expect(abortWhenGone(response).aborted).toBe(true);
});
