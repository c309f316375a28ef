import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The limit that Slack recommends: somebody may have recorded an older request. */
const AGE_MAX_SECONDS = 300;

/** The signature of a request, from Slack's headers. */
export interface SlackSignature {
  /** The timestamp as sent. The signature covers it. */
  timestamp: string;
  /** HMAC-SHA256, hex. */
  hex: string;
}

/** Reads the headers of a request that may come from Slack. @returns null if they are missing, malformed or too old */
export function readSlackSignature(headers: IncomingHttpHeaders, nowMs: number): SlackSignature | null {
  const timestamp = headers['x-slack-request-timestamp'];
  const signature = headers['x-slack-signature'];
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return null;
  if (typeof signature !== 'string' || !/^v0=[0-9a-f]{64}$/.test(signature)) return null;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > AGE_MAX_SECONDS) return null;
  return { timestamp, hex: signature.slice(3) };
}

/** Whether the holder of the secret signed these bytes. */
export function isSignedBy({ timestamp, hex }: SlackSignature, body: Buffer, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}
