import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from './free-port.mjs';

it('is a port that a server can use and no outgoing connection takes', async () => {
  const port = await freePort();
  expect(port).toBeLessThan(32_768);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
});

it('is another port if something listens on the first one', async () => {
  const random = jest.spyOn(Math, 'random').mockReturnValueOnce(0.5);
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  random.mockReturnValueOnce(0.5).mockReturnValueOnce(0.5);
  expect(await freePort()).not.toBe((server.address() as { port: number }).port);
  random.mockRestore();
  server.close();
});
