import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../platform/errors.js';

/** Argon2id (the library's default kind) as OWASP's password storage cheat sheet sets it. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };

/** Of libuv's four threads: the others stay free for name look-ups of forwarded requests while log-ins pour in. */
const MAX_RUNNING = 2;
/** About five seconds of work: who would wait longer is told to come back. */
const MAX_WAITING = 200;

/** Hashes and checks passwords, a few at a time. */
@Injectable()
export class PasswordHasher {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** Costs what a real hash costs and matches nothing. */
  private readonly noHash = `$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},p=${ARGON2.parallelism}$${base64(16)}$${base64(32)}`;

  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(canonical(password), ARGON2));
  }

  /** @param stored null when there is no such account: takes as long, and is false */
  verify(stored: string | null, password: string): Promise<boolean> {
    return this.inTurn(() => verify(stored ?? this.noHash, canonical(password)));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < MAX_RUNNING) this.running++;
    else await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The next one takes over this place: `running` stays as it is.
      if (next) next();
      else this.running--;
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) {
      throw new ApiError(503, 'Too many log-ins at once. Try again in a moment.', { headers: { 'Retry-After': '5' } });
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

/** One form for what keyboards spell in several ways (NIST SP 800-63B, 3.1.1.2). */
const canonical = (password: string): string => password.normalize('NFKC');

const base64 = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/=+$/, '');
