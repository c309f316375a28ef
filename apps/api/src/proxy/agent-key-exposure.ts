import { AGENT_KEY_PREFIX } from '#contracts';
import { errors } from '../platform/errors.js';
import type { ProxyCall } from './proxy-call.js';

const AGENT_KEY = new RegExp(`${AGENT_KEY_PREFIX}[0-9a-f]{64}`);

/**
 * How base64 of a text with a key begins the key, at each of three offsets: the characters that contain nothing else,
 * and their place in the first group.
 */
const IN_BASE64 = [0, 1, 2].map((offset) => {
  const [first, end] = [Math.ceil((offset * 8) / 6), Math.floor((offset * 8 + AGENT_KEY_PREFIX.length * 8) / 6)];
  const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(AGENT_KEY_PREFIX)]).toString('base64');
  return { sign: encoded.slice(first, end), first };
});
/** Base64 of two bytes, a key, and two more. */
const KEY_IN_BASE64 = 96;

/**
 * An agent key gives access to the gateway, so it must not reach a service, the model or a record. Nearly every text
 * needs four short scans only. See docs/reference/agent-api.md#agent-keys.
 */
const hasAgentKey = (text: string): boolean =>
  (text.includes(AGENT_KEY_PREFIX) && AGENT_KEY.test(text)) || IN_BASE64.some((place) => hasKeyAt(place, text));

function hasKeyAt({ sign, first }: (typeof IN_BASE64)[number], text: string): boolean {
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) {
    const group = text.slice(Math.max(0, at - first), at - first + KEY_IN_BASE64);
    if (AGENT_KEY.test(Buffer.from(group, 'base64').toString('latin1'))) return true;
  }
  return false;
}

const hasWrittenKey = (text: string): boolean =>
  hasAgentKey(text) || (text.includes('%') && hasAgentKey(decoded(text)));

type CallTexts = Pick<ProxyCall, 'targetUrl' | 'body' | 'intent' | 'idempotencyKey'>;

/** @throws ApiError 400 */
export function refuseAgentKeys({ targetUrl, body, intent, idempotencyKey }: CallTexts): void {
  if (hasWrittenKey(targetUrl)) throw errors.agentKeyExposed('targetUrl');
  if (body?.some(hasAgentKey)) throw errors.agentKeyExposed('body');
  if (hasAgentKey(intent)) throw errors.agentKeyExposed('intent');
  // It is stored as it is.
  if (idempotencyKey !== null && hasAgentKey(idempotencyKey)) throw errors.agentKeyExposed('Idempotency-Key');
}

/** @param headers those that would be forwarded @throws ApiError 400 */
export function refuseAgentKeysInHeaders(headers: Record<string, string>): void {
  for (const name in headers) {
    if (hasWrittenKey(name) || hasAgentKey(name.toLowerCase())) throw errors.agentKeyExposed('headers');
    if (hasWrittenKey(headers[name])) throw errors.agentKeyExposed(`headers.${name}`);
  }
}

/** Decodes ASCII only, which is enough for a key. Malformed escapes stay as they are. */
const decoded = (url: string): string =>
  url.replace(/%([0-7][\da-f])/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
