import type { Socket } from 'node:net';
import { takeCounter, type WireCounter } from './wire-bytes.js';

/** A longer head of an interim response is left to the parser, which refuses it. */
const HEAD_MAX_BYTES = 16 * 1024;
/** More than any server needs before a response. Each costs as much as a response, and is handled as it arrives. */
export const INTERIMS_MAX = 100;
const HEAD_END = '\r\n\r\n';
/** An interim response after which another one follows: any but `101`, which changes the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const CONTINUE = /^HTTP\/1\.[01] 100/;
const STATUS_LENGTH = 13;
const EMPTY = Buffer.alloc(0);

/**
 * Removes `100 Continue` from the start of each response. A server may send it unasked (RFC 9110, section 15.2.1), and
 * undici would then close the connection. The filter also counts the bytes of each response (`countNextResponse`),
 * because a second filter on the socket would cost much. It relies on three facts: undici reads with `read()`, writes
 * the head of a request as one text, and has one request in progress per socket. See docs/reference/egress.md#interim.
 */
export function dropContinues(socket: Socket): void {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...all: unknown[]) => boolean;
  const unshift = socket.unshift.bind(socket);
  /** The start of a response that is not complete yet. Null: within a response. */
  let start: Buffer | null = null;
  /** So many more are removed before this response. */
  let left = 0;
  let counter: WireCounter | null = null;

  socket.write = (...all: unknown[]) => {
    const [chunk] = all;
    // A body follows as bytes, and may be written while its response arrives.
    if (typeof chunk === 'string' && chunk.includes(' HTTP/1.1\r\n')) {
      start = EMPTY;
      left = INTERIMS_MAX;
      counter = takeCounter();
      if (counter !== null) counter.socket = socket;
    }
    return write(...all);
  };
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (chunk !== null) counter?.onRead?.(chunk.length);
      if (chunk === null || start === null) return chunk;
      const bytes = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      const { passed, rest, removed } = withoutContinues(bytes, left);
      start = rest;
      left -= removed;
      if (passed.length > 0) return passed.length === 1 ? passed[0] : Buffer.concat(passed);
    }
  };
  // undici puts back what it can't read while it is paused, and reads it again.
  socket.unshift = (chunk: Buffer) => {
    counter?.onRead?.(-chunk.length);
    unshift(chunk);
  };
}

interface Filtered {
  passed: Buffer[];
  /** May be the start of another `100`. Null: the response itself has begun. */
  rest: Buffer | null;
  removed: number;
}

/** @param left so many `100` are removed at most. undici refuses the next one */
function withoutContinues(bytes: Buffer, left: number): Filtered {
  const passed: Buffer[] = [];
  let removed = 0;
  for (let rest = bytes; ;) {
    const text = rest.toString('latin1', 0, STATUS_LENGTH);
    const begun = (): Filtered => ({ passed: [...passed, rest], rest: null, removed });
    // If the status line is not complete yet, the missing part is taken to be that of a `100`.
    if (!INTERIM.test(text + 'HTTP/1.1 100 '.slice(text.length))) return begun();
    const end = rest.indexOf(HEAD_END);
    if (end === -1) return rest.length > HEAD_MAX_BYTES ? begun() : { passed, rest, removed };
    const isContinue = CONTINUE.test(text);
    if (isContinue && removed === left) return begun();
    const next = end + HEAD_END.length;
    if (isContinue) removed += 1;
    else passed.push(rest.subarray(0, next));
    rest = rest.subarray(next);
  }
}
