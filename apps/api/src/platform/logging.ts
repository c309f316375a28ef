import type { LoggerService } from '@nestjs/common';
import { destination, pino, type DestinationStream, type Logger } from 'pino';
import type { Clock } from './clock.js';

/**
 * Writes structured log lines to standard output. Callers never pass anything that can contain a secret, like headers
 * or bodies.
 */
export abstract class Log {
  abstract info(fields: object, message: string): void;
  abstract warn(fields: object, message: string): void;
  abstract error(fields: object, message: string): void;
  abstract debug(fields: object, message: string): void;
}

export function createLog(level: string, clock: Clock): Logger {
  return pino(
    { level, base: undefined, timestamp: timestamps(clock), serializers: { err: describeError } },
    standardOutput(),
  );
}

/** The time in ISO 8601, which is made once for all lines of a millisecond. */
function timestamps(clock: Clock): () => string {
  let stampedMs = NaN;
  let stamp = '';
  return () => {
    const nowMs = clock.nowMs();
    if (nowMs !== stampedMs) {
      stampedMs = nowMs;
      stamp = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return stamp;
  };
}

const BUFFER_LENGTH = 8192;
const FLUSH_MS = 250;
/** Lines that could not be written are kept up to this length, and tried again with the next ones. */
const UNWRITTEN_MAX_LENGTH = 1024 * 1024;
let output: (DestinationStream & { flushSync: () => void }) | undefined;

/**
 * Writes lines in batches, at most a quarter of a second late. One system call per line would cost more than the line
 * itself. The buffer of the destination would count the bytes of all its lines again for each line.
 */
function standardOutput(): DestinationStream {
  if (output === undefined) {
    const descriptor = destination({ dest: 1, sync: true, maxLength: UNWRITTEN_MAX_LENGTH });
    // If the disk is full or the reader is gone, lines are lost but the process continues.
    descriptor.on('error', () => undefined);
    // A full destination drops new lines, and by itself would never try the old ones again.
    descriptor.on('drop', () => descriptor.write(''));
    let lines = '';
    const flush = (): void => {
      if (lines !== '') descriptor.write(lines);
      lines = '';
    };
    setInterval(flush, FLUSH_MS).unref();
    process.once('exit', flush);
    output = {
      write: (line) => {
        lines += line;
        if (lines.length >= BUFFER_LENGTH) flush();
      },
      // pino calls it after a fatal line.
      flushSync: flush,
    };
  }
  return output;
}

/**
 * Logs only name, message, code and stack. Other properties are left out, because ORMs store query parameters there.
 */
export function describeError(error: unknown): object {
  // Libraries use whole answers as causes, including their contents.
  if (!(error instanceof Error)) return { message: typeof error === 'string' ? error : typeof error };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutContent(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    stack: withoutContent(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

/** `JSON.parse` quotes the text around a fault, and that text may be another's secret. */
const withoutContent = (text: string): string =>
  text.replace(/,[^,]{0,4}".{0,80}"[^"]{0,4}is not valid JSON/s, ' is not valid JSON');

/** Writes Nest's own messages to the same log. */
export class NestLog implements LoggerService {
  constructor(private readonly sink: Logger) {}

  log(message: unknown, context?: string): void {
    this.sink.debug({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.sink.error({ context, stack }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.sink.warn({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.sink.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.sink.trace({ context }, String(message));
  }
}
