import type { Socket } from 'node:net';

/** Is told how many bytes of a response undici has read, with all that is around the body. */
type OnRead = (bytes: number) => void;

let ofNext: OnRead | null = null;

/**
 * Counts the bytes of the response to the request that is written next. undici tells nobody which socket a request uses,
 * but writes its head right after `onRequestStart`, in the same step.
 */
export function countNextResponse(onRead: OnRead): void {
  ofNext = onRead;
}

/** Counts what undici reads from this socket, without what it puts back. */
export function countReads(socket: Socket): void {
  const read = socket.read.bind(socket);
  const unshift = socket.unshift.bind(socket);
  const write = socket.write.bind(socket) as (...all: unknown[]) => boolean;
  let onRead: OnRead | null = null;
  socket.write = (...all: unknown[]) => {
    if (ofNext !== null) [onRead, ofNext] = [ofNext, null];
    return write(...all);
  };
  socket.read = (size?: number) => {
    const chunk = read(size) as Buffer | null;
    if (chunk !== null) onRead?.(chunk.length);
    return chunk;
  };
  socket.unshift = (chunk: Buffer) => {
    onRead?.(-chunk.length);
    unshift(chunk);
  };
}
