import type { TestServiceResult } from '#contracts';
import { messages as text } from './credentials-messages.js';

/** The result of a failed test of new credentials, in words. */
export function verdictOn({ status, reason, clientSecret }: TestServiceResult): string {
  if (clientSecret === 'rejected') return text.secretRefused(reason ?? '');
  if (status === null) return text.unreachable(reason ?? '');
  return status === 401 || status === 403 ? text.refused(status) : text.uncertain(status);
}

/** The result of a successful test, in words. */
export const passed = ({ status, durationMs }: TestServiceResult): string =>
  status === null ? text.secretTested : text.tested(status, durationMs);
