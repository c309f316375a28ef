import { AGENT_KEY_PREFIX } from '#contracts';
import { errors } from '../platform/errors.js';
import type { ProxyCall } from './proxy-call.js';

const AGENT_KEY = new RegExp(`${AGENT_KEY_PREFIX}[0-9a-f]{64}`);

/**
 * An agent key gives access to the gateway, so it must not reach a service, the model or a record. Nearly every text
 * needs one scan only. See docs/reference/agent-api.md#agent-keys.
 */
const hasAgentKey = (text: string): boolean => text.includes(AGENT_KEY_PREFIX) && AGENT_KEY.test(text);

/** @throws ApiError 400 */
export function refuseAgentKeys({ targetUrl, body, intent }: Pick<ProxyCall, 'targetUrl' | 'body' | 'intent'>): void {
  if (hasAgentKey(targetUrl) || (targetUrl.includes('%') && hasAgentKey(decoded(targetUrl)))) {
    throw errors.agentKeyExposed('targetUrl');
  }
  if (body?.some(hasAgentKey)) throw errors.agentKeyExposed('body');
  if (hasAgentKey(intent)) throw errors.agentKeyExposed('intent');
}

/** @param headers those that would be forwarded @throws ApiError 400 */
export function refuseAgentKeysInHeaders(headers: Record<string, string>): void {
  for (const name in headers) if (hasAgentKey(headers[name])) throw errors.agentKeyExposed(`headers.${name}`);
}

/** Decodes ASCII only, which is enough for a key. Malformed escapes stay as they are. */
const decoded = (url: string): string =>
  url.replace(/%([0-7][\da-f])/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
