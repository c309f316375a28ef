import { createServer, IncomingMessage, ServerResponse, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type express from 'express';

/** A client that sends its headers or body drop by drop holds a socket, not a worker; these say for how long. */
const SLOW_CLIENTS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  // How often Node looks at them: its own 30 seconds would let a slow client have three times its time.
  connectionsCheckingInterval: 5_000,
};
const HEADERS_MAX = 200;
/** So many requests may wait for their turn on one connection; a client that sends more is cut off. */
const PIPELINED_MAX = 100;

/**
 * Nest's adapter, with a server whose requests and responses are born with Express's prototypes. Express changes the
 * prototype of each otherwise, and V8 then gives each one hidden classes of its own: every property is looked up the slow
 * way, and what they refer to outlives them until a full collection. That costs a third of the time of a forwarded GET.
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
 * Begins a request when all that came before it on its connection are answered (HTTP pipelining). Node would begin it at
 * once, and would never tell it that the connection is gone: all that it holds would be held for ever.
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
      // Node lifts the time limit of the answer before it only for requests that did not wait.
      socket.setTimeout(0);
      begin(request, response);
    });
  };
}

/**
 * Node's constructors are functions, not classes; `Reflect.construct` would give each object a hidden class again. As the
 * prototype of ours, they tell V8 how much room an object needs for its properties.
 */
function bornWith<T extends typeof IncomingMessage | typeof ServerResponse>(base: T, prototype: object): T {
  function Born(this: object, ...args: unknown[]): void {
    (base as unknown as (...args: unknown[]) => void).apply(this, args);
  }
  Born.prototype = prototype;
  Object.setPrototypeOf(Born, base);
  return Born as unknown as T;
}
