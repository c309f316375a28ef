import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { ApiError } from '../platform/errors.js';

/** Argon2id (the library's default variant) with the parameters of OWASP's password storage cheat sheet. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };

/**
 * libuv has four threads. The other two stay free for the DNS lookups of forwarded requests during a burst of logins.
 */
const MAX_RUNNING = 2;
/** About five seconds of work. Further requests get a 503. */
const MAX_WAITING = 200;

/** Hashes and checks passwords, a few at a time. */
@Injectable()
export class PasswordHasher {
  private readonly limit = pLimit(MAX_RUNNING);

  /** Takes as long to verify as a real hash, and matches no password. */
  private readonly noHash = `$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},p=${ARGON2.parallelism}$${base64(16)}$${base64(32)}`;

  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(canonical(password), ARGON2));
  }

  /** @param stored null if the account does not exist; then the check takes as long and returns false */
  verify(stored: string | null, password: string): Promise<boolean> {
    return this.inTurn(() => verify(stored ?? this.noHash, canonical(password)));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= MAX_WAITING) {
      throw new ApiError(503, 'Too many logins at the same time. Try again in a moment.', {
        headers: { 'Retry-After': '5' },
      });
    }
    return this.limit(work);
  }
}

/** Normalises characters that keyboards can encode in several ways (NIST SP 800-63B, 3.1.1.2). */
const canonical = (password: string): string => password.normalize('NFKC');

const base64 = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/=+$/, '');
