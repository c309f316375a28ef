import { hash, randomBytes } from 'node:crypto';

/** A secret that is shown once. Only its hash is stored; a fast one is enough for 256 random bits. */
export function newSecret(prefix = ''): { secret: string; hash: string } {
  const secret = prefix + randomBytes(32).toString('hex');
  return { secret, hash: hashOfSecret(secret) };
}

/** 256 random bits, base64url. */
export const randomText = (): string => randomBytes(32).toString('base64url');

/** SHA-256, hex. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'hex');
