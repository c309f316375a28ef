import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes. */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newCallbackSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers of Standard Webhooks. The id and the time are signed with the body, so that neither can be exchanged.
 * @param secrets all that are valid now: while one is being rotated, a receiver may know either
 */
export function signedHeaders(id: string, sentAt: Date, body: string, secrets: string[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(`${id}.${timestamp}.${body}`, secret)}`).join(' '),
  };
}

function sign(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
