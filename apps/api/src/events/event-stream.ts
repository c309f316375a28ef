import type { Response } from 'express';

/** A reader that does not read for so long is cut off rather than remembered for. */
const MAX_UNREAD_BYTES = 256 * 1024;

/**
 * The stream to one reader of live updates. It has one end: `end` gives back what the stream holds, and from then on
 * nothing is written. Neither `write` nor `end` ever throws.
 */
export class EventStream {
  private readonly releases: (() => void)[] = [];
  private ended = false;

  constructor(private readonly response: Response) {
    // Node reports a failed write by this event, and an 'error' event that nobody listens to would end the process.
    response.on('error', () => this.end());
    response.on('close', () => this.end());
  }

  /** @param release gives something back when the stream ends: now, if it has ended already */
  onEnd(release: () => void): void {
    if (this.ended) release();
    else this.releases.push(release);
  }

  write(text: string): void {
    if (this.ended) return;
    try {
      this.response.write(text);
    } catch {
      this.cut();
      return;
    }
    if (this.response.writableLength > MAX_UNREAD_BYTES) this.cut();
  }

  end(): void {
    if (this.ended) return;
    this.release();
    try {
      this.response.end();
    } catch {
      this.response.destroy();
    }
  }

  private cut(): void {
    this.release();
    this.response.destroy();
  }

  private release(): void {
    this.ended = true;
    for (const release of this.releases.splice(0)) release();
  }
}
