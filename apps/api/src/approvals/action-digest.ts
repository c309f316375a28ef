import { hash } from 'node:crypto';
import type { ActionEntity } from '#database';

/** The fields that an approval covers, besides the base URL of the service. */
export type Digested = Pick<ActionEntity, 'agentId' | 'serviceId' | 'method' | 'targetUrl' | 'headers' | 'body'> &
  Partial<Pick<ActionEntity, 'bodyHash'>>;

/**
 * Identifies what an approver saw and what is sent: SHA-256 hex. docs/reference/states.md#digest says how to compute it
 * elsewhere.
 * @param baseUrl of the service, as it is now
 */
export function actionDigest(action: Digested, baseUrl: string): string {
  // A text is hashed without JSON quoting, because it may have megabytes.
  return hash('sha256', `${digestHead(action, baseUrl)}${action.bodyHash ?? action.body ?? ''}`, 'hex');
}

/** The hashed text before the body. */
export function digestHead(
  { agentId, serviceId, method, targetUrl, headers }: Omit<Digested, 'body'>,
  baseUrl: string,
): string {
  const sorted = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify([method, targetUrl, sorted, agentId, serviceId, baseUrl])}\n`;
}

/**
 * The digest of an action: the approved one, or otherwise the digest of its current state. Null if its agent or service
 * is gone.
 */
export function effectiveDigest(action: ActionEntity): string | null {
  if (action.approvedDigest !== null) return action.approvedDigest;
  if (action.agentId === null || action.serviceBaseUrl === null) return null;
  return actionDigest(action, action.serviceBaseUrl);
}
