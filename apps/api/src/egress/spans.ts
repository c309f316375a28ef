/** Replaces the parts of a text that are secret. */

export type Span = [start: number, end: number];

export const REDACTED = '[REDACTED]';
const MARK = Buffer.from(REDACTED);

/** Replaces the spans that are found in one block of a text after the other. Overlapping spans become one. */
export class Redaction {
  private readonly parts: Buffer[] = [];
  /** Before this place, everything is in `parts` or replaced. */
  private kept = 0;
  /** Spans that begin after the blocks so far. */
  private later: Span[] = [];

  constructor(private readonly bytes: Buffer) {}

  /** @param from where the block begins, and the places of its spans are counted @param end where the next block begins */
  add(spans: Span[], from: number, end: number): void {
    const own = this.later;
    this.later = [];
    for (const [start, last] of spans) (start + from < end ? own : this.later).push([start + from, last + from]);
    if (own.length === 0) return;
    own.sort(([a], [b]) => a - b);
    const parts: Buffer[] = [];
    for (const [start, last] of own) {
      if (start >= this.kept) parts.push(this.bytes.subarray(this.kept, start), MARK);
      this.kept = Math.max(this.kept, last);
    }
    // Joined now, because many tiny parts use far more memory than their bytes.
    this.parts.push(Buffer.concat(parts));
  }

  /** @returns the same bytes if there was no span */
  whole(): Buffer {
    if (this.later.length > 0) this.add([], 0, Infinity);
    if (this.kept === 0) return this.bytes;
    return Buffer.concat([...this.parts, this.bytes.subarray(this.kept)]);
  }
}

/** A text without these spans. */
export function replaced(bytes: Buffer, spans: Span[]): Buffer {
  const redaction = new Redaction(bytes);
  redaction.add(spans, 0, Infinity);
  return redaction.whole();
}
