import type { Socket } from 'node:net';

/** undici parses so much at once. A response of usual size has few such pieces. */
const PIECE_BYTES = 4 * 1024;

/**
 * Gives undici what has arrived in small pieces. undici reads all of it, and puts back what it has not parsed when the
 * response is paused. Each time, the socket would take the empty buffer for a reason to read more from the network. A
 * response of tiny chunks, which is paused often, would fill the memory, and each pause would copy all of it. What was
 * put back is read alone, because Node copies what it joins.
 */
export function readSmallPieces(socket: Socket): void {
  const read = socket.read.bind(socket);
  const unshift = socket.unshift.bind(socket);
  let putBack = 0;
  socket.unshift = (chunk: Buffer) => {
    putBack += chunk.length;
    unshift(chunk);
  };
  socket.read = (size?: number) => {
    const piece = Math.min(putBack || socket.readableLength, PIECE_BYTES);
    // Node itself calls `read(0)`, which must take nothing.
    const chunk = read(size ?? (piece > 0 ? piece : undefined)) as Buffer | null;
    putBack = Math.max(0, putBack - (chunk?.length ?? 0));
    return chunk as unknown;
  };
}
