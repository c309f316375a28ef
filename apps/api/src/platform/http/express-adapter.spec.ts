import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { GatewayExpressAdapter } from './express-adapter.js';

describe('GatewayExpressAdapter', () => {
  let server: Server;
  let app: Express;

  beforeEach(async () => {
    const adapter = new GatewayExpressAdapter();
    adapter.initHttpServer();
    server = adapter.getHttpServer();
    app = adapter.getInstance<Express>();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => server.close());

  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  it('creates requests and responses with the prototypes of Express, so that Express need not change them', async () => {
    const born: object[] = [];
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      born.push(Object.getPrototypeOf(request) as object, Object.getPrototypeOf(response) as object);
    });
    app.get('/', (_request, response) => void response.end());
    await fetch(origin());
    expect(born[0]).toBe(app.request);
    expect(born[1]).toBe(app.response);
  });

  it('serves requests with bodies', async () => {
    app.post('/echo', (request, response) => void request.pipe(response.status(201).type('text/plain')));
    const response = await fetch(`${origin()}/echo`, { method: 'POST', body: 'back and forth' });
    expect([response.status, await response.text()]).toEqual([201, 'back and forth']);
  });
});
