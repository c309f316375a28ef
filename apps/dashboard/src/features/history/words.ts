import type { AuditRecord } from '#contracts';
import { messages } from './messages.js';

/** `service.credentials_replaced` in words; what has none is shown as it is, with its dots as spaces. */
export const reasonWords = (reason: string | null): string =>
  reason === null ? '' : (messages.reasons[reason] ?? reason.replace(/[._]/g, ' '));

export function outcomeTone({ outcome, upstreamStatus }: AuditRecord): 'plain' | 'good' | 'warning' | 'bad' {
  if (outcome === 'held') return 'warning';
  if (outcome === 'refused' || outcome === 'abandoned' || outcome === 'denied') return 'bad';
  if (outcome === 'forwarded' || outcome === 'executed')
    return upstreamStatus !== null && upstreamStatus >= 500 ? 'warning' : 'good';
  return 'plain';
}
