import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { isBaseUrlRequest } from './base-url-requests.js';

/** How long the sender of an unread body has to read the response. */
const LINGER_MS = 1000;

/**
 * Stops reading a request. What its sender still sends stays in the network and uses no memory here. The connection
 * closes shortly after the response and not immediately, because closing a socket with unread bytes would discard the
 * response.
 */
export function leaveUnread(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  // The code that reads the body drops the rest of this network read. In the buffer of a paused request, that rest
  // could take hundreds of times its size.
  if (request.readableFlowing) socket.pause();
  else {
    request.pause();
    // Unless reading has started, Node would read the body to its end by itself.
    request.read();
  }
  socket.destroySoon = () => {
    // Once parsed by Node, a body in chunks of one byte uses hundreds of times its size in memory.
    socket.pause();
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/** Whether the request's headers announce a body. */
export const declaresBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** GET, HEAD and OPTIONS ignore a request body. Without this, Node would read all of it in vain. */
export function leaveBodyOfReads(request: Request, response: Response, next: NextFunction): void {
  const reads = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  if (reads && declaresBody(request) && !isBaseUrlRequest(request.url)) {
    response.setHeader('Connection', 'close');
    leaveUnread(request);
  }
  next();
}
