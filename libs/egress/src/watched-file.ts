import { readFileSync, statSync } from 'node:fs';

/**
 * A small system file that is read again when it has changed. It is read synchronously, because asynchronous reads use
 * Node's four shared threads, which may be blocked. Checking the file's modification time takes microseconds.
 */
export class WatchedFile<T> {
  private seen = '';
  private parsed: T;

  constructor(
    private readonly path: string,
    private readonly parse: (text: string) => T,
  ) {
    this.parsed = parse('');
  }

  /** The current content. A file that is missing or unreadable counts as empty. */
  content(): T {
    const version = this.version();
    if (version !== this.seen) {
      this.parsed = this.parse(this.read());
      this.seen = version;
    }
    return this.parsed;
  }

  /** Changes whenever the file is written or replaced. */
  version(): string {
    const stat = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    return stat ? `${stat.ino}:${stat.mtimeNs}:${stat.size}` : '';
  }

  private read(): string {
    try {
      return readFileSync(this.path, 'utf8');
    } catch {
      return '';
    }
  }
}
