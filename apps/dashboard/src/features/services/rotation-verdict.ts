import type { TestServiceResult } from '#contracts';
import { credentialsMessages } from './credentials-messages.js';

/** The result of a failed test of new credentials, in words. */
export function verdictOn({ status, reason, clientSecret }: TestServiceResult): string {
  if (clientSecret === 'rejected') return credentialsMessages.secretRefused(reason ?? '');
  if (status === null) return credentialsMessages.unreachable(reason ?? '');
  return status === 401 || status === 403 ? credentialsMessages.refused(status) : credentialsMessages.uncertain(status);
}

/** The result of a successful test, in words. */
export const passed = ({ status, durationMs }: TestServiceResult): string =>
  status === null ? credentialsMessages.secretTested : credentialsMessages.tested(status, durationMs);
