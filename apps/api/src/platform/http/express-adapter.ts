import { createServer, IncomingMessage, ServerResponse, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type express from 'express';
import { withPrototype } from '../fast-lane/with-prototype.js';

/** Time limits for clients that send their headers or body slowly. Such a client only occupies a socket. */
const SLOW_CLIENTS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  // How often Node enforces these limits. With its default of 30 seconds, a slow client could take three times as long.
  connectionsCheckingInterval: 5_000,
};
const HEADERS_MAX = 200;
/**
 * Most pipelined requests that can wait on one connection. The gateway closes the connection of a client that sends
 * more.
 */
const PIPELINED_MAX = 100;

/**
 * Nest's adapter, with time limits for slow clients, pipelined requests in turn, and requests that have Express's
 * prototype from the start.
 */
export class GatewayExpressAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<express.Express>();
    this.httpServer = createServer(
      {
        ...SLOW_CLIENTS,
        IncomingMessage: withPrototype(IncomingMessage, app.request),
        ServerResponse: withPrototype(ServerResponse, app.response),
      },
      inTurn(byPath(app)),
    );
    this.httpServer.maxHeadersCount = HEADERS_MAX;
  }
}

/**
 * Takes a whole URL as the target of a request for its path. A server must accept it (RFC 9112, section 3.2.2), and
 * everything behind reads a path.
 */
const byPath =
  (app: RequestListener): RequestListener =>
  (request, response) => {
    const target = request.url!;
    if (!target.startsWith('/'))
      request.url = target.replace(/^https?:\/\/[^/?#]*(?=([/?#]?))/i, (_all, next) => (next === '/' ? '' : '/'));
    app(request, response);
  };

/**
 * Starts a pipelined request only when all earlier requests on its connection are answered. Node would start it
 * immediately, and would never report to it that the connection was closed: its resources would never be released.
 */
function inTurn(begin: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    if (response.socket) {
      begin(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > PIPELINED_MAX) socket.destroy();
    response.once('socket', () => {
      waiting.set(socket, waiting.get(socket)! - 1);
      // For requests that waited, Node does not remove the socket timeout of the previous response.
      socket.setTimeout(0);
      begin(request, response);
    });
  };
}
