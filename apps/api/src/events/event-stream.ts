import type { Response } from 'express';

/** A reader with this many unread bytes is disconnected, so that its events don't fill the memory. */
const MAX_UNREAD_BYTES = 256 * 1024;

/**
 * The stream of live updates to one reader. `end` releases everything that the stream holds; after that, nothing is
 * written. Neither `write` nor `end` ever throws.
 */
export class EventStream {
  private readonly releases: (() => void)[] = [];
  private ended = false;

  constructor(private readonly response: Response) {
    // Node reports a failed write with this event. Without a listener, an 'error' event would end the process.
    response.on('error', () => this.end());
    response.on('close', () => this.end());
  }

  /** @param release called when the stream ends, or immediately if it has already ended */
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
