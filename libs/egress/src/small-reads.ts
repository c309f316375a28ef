import type { Socket } from 'node:net';

/** undici parses so much at once. A response of usual size has few of the smallest pieces. */
const PIECE_MIN_BYTES = 4 * 1024;
const PIECE_MAX_BYTES = 64 * 1024;

/**
 * Gives undici what has arrived in small pieces. undici reads all of it, and puts back what it has not parsed when the
 * response is paused. Each time, the socket would take the empty buffer for a reason to read more from the network. A
 * response of tiny chunks, which is paused often, would fill the memory, and each pause would copy all of it. So the
 * piece after one that was put back in part is half as large. The piece after one that was parsed whole is twice as
 * large, because a large response takes less CPU in large pieces. No piece joins two buffers, which Node would copy.
 */
export function readSmallPieces(socket: Socket): void {
  const read = socket.read.bind(socket);
  const push = socket.push.bind(socket);
  const unshift = socket.unshift.bind(socket);
  /** The bytes of each buffer that has arrived. */
  const arrived: number[] = [];
  let pieceBytes = PIECE_MIN_BYTES;
  let wasWhole = false;
  socket.push = (chunk: Buffer | null) => {
    if (chunk !== null && chunk.length > 0) arrived.push(chunk.length);
    return push(chunk);
  };
  socket.unshift = (chunk: Buffer) => {
    if (chunk.length === 0) return;
    pieceBytes = Math.max(PIECE_MIN_BYTES, pieceBytes / 2);
    wasWhole = false;
    arrived.unshift(chunk.length);
    unshift(chunk);
  };
  socket.read = (size?: number) => {
    if (wasWhole && size === undefined) pieceBytes = Math.min(PIECE_MAX_BYTES, pieceBytes * 2);
    // Node itself calls `read(0)`, which must take nothing.
    const chunk = read(size ?? (arrived.length > 0 ? Math.min(arrived[0], pieceBytes) : undefined)) as Buffer | null;
    if (chunk === null) return null;
    wasWhole = chunk.length === pieceBytes;
    forget(arrived, chunk.length);
    return chunk as unknown;
  };
}

function forget(buffers: number[], bytes: number): void {
  while (bytes > 0 && buffers.length > 0) {
    const taken = Math.min(bytes, buffers[0]);
    bytes -= taken;
    if ((buffers[0] -= taken) === 0) buffers.shift();
  }
}
