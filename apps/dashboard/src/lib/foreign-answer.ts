import type { AxiosResponse } from 'axios';
import { messages } from './messages.js';

/**
 * Whether something in front of the gateway answered, such as a proxy with its login page. The gateway's API never
 * answers with HTML. Without this check, the page of a proxy would count as success: a decision would seem to be made.
 */
export const isForeign = ({ headers }: AxiosResponse): boolean =>
  String(headers['content-type']).startsWith('text/html');

export function refuseForeign<T extends AxiosResponse>(response: T): T {
  if (isForeign(response)) throw new Error(messages.errors.foreign);
  return response;
}
