import type { Socket } from 'node:net';

/** undici parses so much at once. A response of usual size has few of the smallest pieces. */
const PIECE_MIN_BYTES = 4 * 1024;
/** Node would raise the high-water mark of a socket for a larger read, and then read more ahead. */
const PIECE_MAX_BYTES = 16 * 1024;

/**
 * Splits what has arrived into small pieces for undici. Otherwise undici reads all of it at once. When the response is
 * paused, undici puts back what it has not parsed. Each time, the socket would see an empty buffer, and would
 * read more from the network. A response of tiny chunks is paused often. So it would fill the memory, and each pause
 * would copy all of it.
 *
 * If undici reads a full piece, the next pieces are larger, because large pieces take less CPU. If it puts bytes back,
 * the next pieces are smaller. A piece joins only small buffers, because Node copies the buffers that it joins.
 */
export function readSmallPieces(socket: Socket): void {
  const read = socket.read.bind(socket);
  const push = socket.push.bind(socket);
  const unshift = socket.unshift.bind(socket);
  /** The bytes of each buffer that has arrived. Small ones count as one: a server can send each byte alone. */
  const arrived: number[] = [];
  let pieceBytes = PIECE_MIN_BYTES;
  socket.push = (chunk: Buffer | null) => {
    const bytes = chunk?.length ?? 0;
    const last = arrived.length - 1;
    if (last >= 0 && arrived[last] + bytes <= PIECE_MIN_BYTES) arrived[last] += bytes;
    else if (bytes > 0) arrived.push(bytes);
    return push(chunk);
  };
  socket.unshift = (chunk: Buffer) => {
    if (chunk.length === 0) return;
    pieceBytes = Math.max(PIECE_MIN_BYTES, pieceBytes / 2);
    arrived.unshift(chunk.length);
    unshift(chunk);
  };
  socket.read = (size?: number) => {
    // Node itself calls `read(0)`, which must take nothing.
    const chunk = read(size ?? (arrived.length > 0 ? Math.min(arrived[0], pieceBytes) : undefined)) as Buffer | null;
    if (chunk === null) return null;
    if (chunk.length === pieceBytes) pieceBytes = Math.min(PIECE_MAX_BYTES, pieceBytes * 2);
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
