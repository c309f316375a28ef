import { createServer, IncomingMessage, ServerResponse, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type express from 'express';

/** Time limits for clients that send their headers or body slowly. Such a client only occupies a socket. */
const SLOW_CLIENTS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  // How often Node enforces these limits. With its default of 30 seconds, a slow client could take three times as long.
  connectionsCheckingInterval: 5_000,
};
const HEADERS_MAX = 200;
/** Most pipelined requests that can wait on one connection. The gateway closes the connection of a client that sends more. */
const PIPELINED_MAX = 100;

/**
 * Nest's adapter with a server that creates requests and responses with Express's prototypes. Otherwise Express changes the prototype
 * of each one, and V8 then gives each its own hidden classes: property lookups become slow, and referenced objects stay in memory until
 * a full garbage collection. That costs a third of the time of a forwarded GET.
 */
export class GatewayExpressAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<express.Express>();
    this.httpServer = createServer(
      {
        ...SLOW_CLIENTS,
        IncomingMessage: bornWith(IncomingMessage, app.request),
        ServerResponse: bornWith(ServerResponse, app.response),
      },
      inTurn(app),
    );
    this.httpServer.maxHeadersCount = HEADERS_MAX;
  }
}

/**
 * Starts a pipelined request only when all earlier requests on its connection are answered. Node would start it immediately, and would
 * never report to it that the connection was closed: its resources would never be released.
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

/**
 * Node's constructors are functions, not classes, so `apply` works. `Reflect.construct` would give each object its own hidden class
 * again. With Node's constructor as the prototype of ours, V8 knows how much space an object's properties need.
 */
function bornWith<T extends typeof IncomingMessage | typeof ServerResponse>(base: T, prototype: object): T {
  function Born(this: object, ...args: unknown[]): void {
    (base as unknown as (...args: unknown[]) => void).apply(this, args);
  }
  Born.prototype = prototype;
  Object.setPrototypeOf(Born, base);
  return Born as unknown as T;
}
