import type { TestServiceResult } from '#contracts';
import { messages } from './messages.js';

const text = messages.credentials;

/** What a test of new credentials that did not pass shows. */
export function verdictOn({ status, reason, clientSecret }: TestServiceResult): string {
  if (clientSecret === 'rejected') return text.secretRefused(reason ?? '');
  if (status === null) return text.unreachable(reason ?? '');
  return status === 401 || status === 403 ? text.refused(status) : text.uncertain(status);
}

/** What a test that passed has shown. */
export const passed = ({ status, durationMs }: TestServiceResult): string =>
  status === null ? text.secretTested : text.tested(status, durationMs);
