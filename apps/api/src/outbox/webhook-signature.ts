import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks secrets are `whsec_` followed by the base64 of 24 to 64 random bytes. */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Returns the headers of Standard Webhooks. The signature covers the id and the time as well as the body.
 * @param secrets all secrets that are valid now: after a rotation, the receiver may still use the previous one
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
