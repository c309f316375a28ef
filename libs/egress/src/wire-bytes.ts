import type { Socket } from 'node:net';

/**
 * Learns how many bytes of a response undici has read, including everything around the body. A socket keeps the counter
 * of its last response. Once `onRead` is null, the counter keeps nothing else in memory.
 */
export interface WireCounter {
  onRead: ((bytes: number) => void) | null;
  /** The socket of the request, once its head is written. */
  socket: Socket | null;
}

let ofNext: WireCounter | null = null;

/**
 * Counts the bytes of the response to the request that is written next. undici tells nobody which socket a request uses,
 * but writes its head right after `onRequestStart`, in the same step.
 */
export function countNextResponse(counter: WireCounter): void {
  ofNext = counter;
}

/** Returns the counter for the response to the request whose head is written now. Null: nothing counts it. */
export function takeCounter(): WireCounter | null {
  const counter = ofNext;
  ofNext = null;
  return counter;
}
