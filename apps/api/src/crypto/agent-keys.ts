import { hash, randomBytes } from 'node:crypto';
import { AGENT_KEY_PREFIX, AGENT_KEY_SHOWN } from '#contracts/headers';

const KEY_BYTES = 32;

/** Creates an agent key. Only its hash is stored. A fast hash is enough for 256 random bits. */
export function newAgentKey(): { key: string; hash: string; prefix: string } {
  const key = AGENT_KEY_PREFIX + randomBytes(KEY_BYTES).toString('hex');
  return { key, hash: hashAgentKey(key), prefix: shownPrefix(key) };
}

/** SHA-256, hex. */
export function hashAgentKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The part of a key that may be stored and shown. */
export function shownPrefix(key: string): string {
  return key.slice(0, AGENT_KEY_SHOWN);
}
