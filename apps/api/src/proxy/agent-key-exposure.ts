import { AGENT_KEY_PREFIX } from '#contracts/headers';
import { errors } from '../platform/errors.js';
import { asciiDecoded } from '../platform/percent-decoding.mjs';
import type { ProxyCall } from './proxy-call.js';

const HEX = '0123456789abcdef';
const KEY_HEX_CHARS = 64;

const AGENT_KEY = new RegExp(`${AGENT_KEY_PREFIX}[${HEX}]{${KEY_HEX_CHARS}}`);

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const ANY_BYTE = [...Array(256).keys()];
/** The values that each byte of a key can have. */
const KEY_BYTES = [...AGENT_KEY_PREFIX, ...Array<string>(KEY_HEX_CHARS).fill(HEX)].map((chars) => [
  ...Buffer.from(chars),
]);

/** The shortest base64 of a key. */
const BASE64_CHARS_MIN = Math.ceil((KEY_BYTES.length * 8) / 6);

/** Base64 of a text that contains a key, for each place of the key in a group of three bytes. */
const KEYS_IN_BASE64 = [0, 1, 2].map((offset) => {
  const first = Math.floor((offset * 8) / 6);
  const end = Math.ceil(((offset + KEY_BYTES.length) * 8) / 6);
  const chars = Array.from({ length: end - first }, (_, at) => base64Char((first + at) * 6 - offset * 8));
  // MIME and the command `base64` break lines.
  return new RegExp(chars.join('(?:\\r?\\n)?'));
});

/**
 * Returns a pattern for one base64 character, in either alphabet. The character encodes six bits of a key, from this
 * bit on. Bits outside of the key belong to the text around it, and can have any value. Each character is matched on
 * its own, so a text that only looks like a key can match too.
 */
function base64Char(bit: number): string {
  const byte = Math.floor(bit / 8);
  const [one, next] = [KEY_BYTES[byte] ?? ANY_BYTE, KEY_BYTES[byte + 1] ?? ANY_BYTE];
  const values = one.flatMap((high) => next.map((low) => (((high << 8) | low) >> (10 - (bit - byte * 8))) & 63));
  const chars = [...new Set(values)].map((value) => BASE64[value]).join('');
  return `[${chars.replace('+', '+\\-').replace('/', '/_')}]`;
}

/**
 * An agent key gives access to the gateway, so it must not reach a service, the model or a record. Four scans read a
 * text of any size, and decode nothing: decoding wherever base64 of a key might begin takes seconds for a text that
 * consists of such places. See docs/reference/agent-api.md#agent-keys.
 */
const hasAgentKey = (text: string): boolean =>
  (text.includes(AGENT_KEY_PREFIX) && AGENT_KEY.test(text)) ||
  (text.length >= BASE64_CHARS_MIN && KEYS_IN_BASE64.some((key) => key.test(text)));

const hasWrittenKey = (text: string): boolean =>
  hasAgentKey(text) || (text.includes('%') && hasAgentKey(asciiDecoded(text)));

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
