import { IncomingMessage } from 'node:http';

/** The pieces that any body may have, such as JSON that a client writes bit by bit. */
const FREE_PIECES = 1000;
/** The mean size of more pieces. Lines of NDJSON are longer. */
export const PIECE_BYTES = 48;

declare module 'http' {
  interface IncomingMessage {
    pieces?: BodyPieces;
  }
}

/** Counts the pieces of a body. */
export class BodyPieces {
  meanBytes = PIECE_BYTES;
  tooMany = false;
  private count = 0;
  private size = 0;

  add(bytes: number): void {
    this.size += bytes;
    this.count += 1;
    if (this.count > FREE_PIECES + this.size / this.meanBytes) this.tooMany = true;
  }
}

/**
 * Node parses all that one read of a socket brings, which can be 10,000 pieces of one byte, and makes a buffer and some
 * calls for each of them. Nothing else runs meanwhile, and nobody knows the sender yet. So this counts the pieces where
 * Node adds them to a request, and stops at too many. See docs/reference/http.md#pieces.
 */
export function countPieces(requests: IncomingMessage): IncomingMessage {
  const node = IncomingMessage.prototype;
  return Object.assign(requests, {
    push(this: IncomingMessage, chunk: Buffer | null): boolean {
      if (chunk === null) return node.push.call(this, chunk);
      const pieces = (this.pieces ??= new BodyPieces());
      // The reader must know it with this piece, because it may get no other.
      pieces.add(chunk.length);
      if (pieces.tooMany) skipRest(this);
      return node.push.call(this, chunk) && !pieces.tooMany;
    },
    _read(this: IncomingMessage, size: number): void {
      if (!this.pieces?.tooMany) node._read.call(this, size);
    },
  });
}

/** The part of Node's parser that is needed here. It finds its callbacks under numbers. */
interface Parser {
  incoming: IncomingMessage | null;
  constructor: { kOnBody: number };
  [callback: number]: unknown;
}

/** The parsers that can skip pieces. */
const skipping = new WeakSet<Parser>();

/**
 * Takes away the callback for a piece, without which the parser skips the rest quickly. Node uses the parser again for
 * other connections, so this holds for requests with too many pieces only.
 */
function skipRest({ socket }: IncomingMessage): void {
  const { parser } = socket as unknown as { parser: Parser | null };
  if (parser === null || skipping.has(parser)) return;
  skipping.add(parser);
  const { kOnBody } = parser.constructor;
  const onBody = parser[kOnBody];
  Object.defineProperty(parser, kOnBody, {
    get: () => (parser.incoming?.pieces?.tooMany ? undefined : onBody),
  });
}
