import { sharedMessages } from './messages.js';
import type { Answer } from './transport.js';

/**
 * Whether something in front of the gateway answered, such as a proxy with its login page. The gateway's API never
 * answers with HTML. Without this check, the page of a proxy would count as success: a decision would seem to be made.
 */
export const isForeign = ({ headers }: Answer): boolean =>
  headers.get('Content-Type')?.startsWith('text/html') ?? false;

export function refuseForeign<T extends Answer>(answer: T): T {
  if (isForeign(answer)) throw new Error(sharedMessages.errors.foreign);
  return answer;
}
