import type { AuditDecision, AuditRecord } from '#contracts';
import { readTarget } from '../../lib/request-target.js';
import { messages } from './messages.js';

type Tone = 'plain' | 'good' | 'warning' | 'bad';

/** `service.credentials_replaced` in words. An unknown reason is shown with spaces in place of dots. */
export const reasonWords = (reason: string | null): string =>
  reason === null ? '' : (messages.reasons[reason] ?? reason.replace(/[._]/g, ' '));

/** The title of the request, or its method and path if it has none. */
export function formatHeadline({ summary, method, url }: AuditRecord): string {
  if (summary !== null) return summary;
  if (method === null || url === null) return messages.noHeadline;
  return `${method} ${readTarget(url)?.path ?? url}`;
}

const NAMES = ['channel', 'member', 'account', 'email', 'slackName', 'name', 'title'] as const;

/**
 * What a change is about: the title of the request, or the name of the rule, channel, token or person, and then its
 * service or agent.
 */
export function formatChangeTarget(record: AuditRecord): string {
  const { actionId, service, agent, details } = record;
  const { rule, ...others } = details ?? {};
  const part = (rule ?? others) as Record<string, unknown>;
  const name =
    actionId === null ? NAMES.map((key) => part[key]).find((each) => typeof each === 'string') : formatHeadline(record);
  const owner = service?.name ?? agent?.name;
  return [name === owner ? undefined : name, owner].filter((each) => each !== undefined).join(' · ');
}

export function reasonTone(reason: string | null): Tone {
  if (reason === 'action.approved' || reason === 'action.approval_given') return 'good';
  return reason === 'action.denied' ? 'bad' : 'warning';
}

export const decisionTone = (state: AuditDecision['state']): Tone =>
  ({ approved: 'good', revised: 'plain', denied: 'bad', waiting: 'warning', expired: 'plain' })[state] as Tone;

export function outcomeTone({ outcome, upstreamStatus }: AuditRecord): Tone {
  if (outcome === 'held') return 'warning';
  if (outcome === 'refused' || outcome === 'abandoned' || outcome === 'denied') return 'bad';
  if (outcome === 'forwarded' || outcome === 'executed')
    return upstreamStatus !== null && upstreamStatus >= 500 ? 'warning' : 'good';
  return 'plain';
}
