import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { isBaseUrlRequest } from './base-url-requests.js';

/** So long the sender of a body that nobody reads has for reading the answer. */
const LINGER_MS = 1000;

/**
 * Reads no more of a request: what its sender goes on sending stays in the network, and costs nothing here. The
 * connection ends with the answer. It does so a moment later, since a socket that is closed with bytes unread takes the
 * answer with it.
 */
export function leaveUnread(request: IncomingMessage): void {
  if (request.complete) return;
  request.removeAllListeners('data');
  request.pause();
  // Node reads a body to its end by itself unless somebody has begun to.
  request.read();
  const { socket } = request;
  socket.destroySoon = () => {
    // A body in chunks of one byte costs hundreds of times its bytes as soon as Node has parsed it.
    socket.pause();
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/** Whether its head says that a body follows. */
export const declaresBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** GET, HEAD and OPTIONS are answered whatever body comes with them, and Node would read all of it for nothing. */
export function leaveBodyOfReads(request: Request, response: Response, next: NextFunction): void {
  const reads = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  if (reads && declaresBody(request) && !isBaseUrlRequest(request.url)) {
    response.setHeader('Connection', 'close');
    leaveUnread(request);
  }
  next();
}
