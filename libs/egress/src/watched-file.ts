import { readFileSync, statSync } from 'node:fs';

/**
 * A small file of the system, read again when it has changed. Read synchronously: the asynchronous way goes through the
 * four threads that nobody here may depend on, and a look at the file's time takes microseconds.
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

  /** What the file says now. One that is missing or can't be read counts as empty. */
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
