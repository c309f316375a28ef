import type { CallbackEvent } from '#contracts';
import type { UpstreamCall } from './fake-upstream.js';

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a request as the Standard Webhooks specification describes. Written from that document, not from the
 * gateway's code.
 * @throws Error unless the request is genuine and fresh
 */
export async function verified(call: UpstreamCall, secret: string, nowMs: number): Promise<CallbackEvent> {
  const id = header(call, 'webhook-id');
  const timestamp = header(call, 'webhook-timestamp');
  if (!/^\d+$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new Error(`timestamp ${timestamp} is too far from ${Math.floor(nowMs / 1000)}`);
  }
  const raw = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${call.body.toString('utf8')}`);
  for (const signature of header(call, 'webhook-signature').split(' ')) {
    const [version, value] = signature.split(',');
    if (version !== 'v1') continue;
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
    if (await crypto.subtle.verify('HMAC', key, bytes, content))
      return JSON.parse(call.body.toString()) as CallbackEvent;
  }
  throw new Error('no signature verifies');
}

function header({ headers }: UpstreamCall, name: string): string {
  const value = headers[name];
  if (typeof value !== 'string' || value === '') throw new Error(`no ${name}`);
  return value;
}
