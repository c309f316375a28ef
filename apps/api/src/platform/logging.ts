import type { LoggerService } from '@nestjs/common';
import { destination, pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

/** Structured log lines on standard output. Nothing that may hold a secret (headers, bodies) is ever passed to it. */
export abstract class Log {
  abstract info(fields: object, message: string): void;
  abstract warn(fields: object, message: string): void;
  abstract error(fields: object, message: string): void;
  abstract debug(fields: object, message: string): void;
}

export function createLog(level: string): Logger {
  return pino(
    { level, base: undefined, timestamp: stdTimeFunctions.isoTime, serializers: { err: describeError } },
    standardOutput(),
  );
}

const BUFFER_BYTES = 8192;
const FLUSH_MS = 250;
let output: DestinationStream | undefined;

/** Lines leave together, at most a quarter of a second late: a write to the system for each would cost more than the line. */
function standardOutput(): DestinationStream {
  if (output === undefined) {
    const buffered = destination({ dest: 1, sync: true, minLength: BUFFER_BYTES });
    // A full disk or a reader who has gone costs these lines, not the process.
    buffered.on('error', () => undefined);
    setInterval(() => buffered.flush(), FLUSH_MS).unref();
    process.once('exit', () => buffered.flushSync());
    output = buffered;
  }
  return output;
}

/** Name, text, code and stack: not the enumerable rest, where ORMs keep query parameters. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

/** Nest's own messages, in the same log. */
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
