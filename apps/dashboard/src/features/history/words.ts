import type { AuditDecision, AuditRecord } from '#contracts';
import { readTarget } from '../../lib/request-target.js';
import { messages } from './messages.js';

type Tone = 'plain' | 'good' | 'warning' | 'bad';

/** `service.credentials_replaced` in words. An unknown reason is shown with spaces in place of dots. */
export const reasonWords = (reason: string | null): string =>
  reason === null ? '' : (messages.reasons[reason] ?? reason.replace(/[._]/g, ' '));

/** The line by which approvers knew the request, or its method and path if it was never held. */
export function formatHeadline({ headline, method, url }: AuditRecord): string {
  if (headline !== null) return headline;
  if (method === null || url === null) return messages.noHeadline;
  return `${method} ${readTarget(url)?.path ?? url}`;
}

const NAMES = ['channel', 'member', 'account', 'email', 'slackName', 'name', 'title'] as const;

/**
 * What a change is about: the headline of the request, or the name of the rule, channel, token or person, and then its
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

/** The note of a person about a held request: in the record of the decision, and in that of the request. */
export function noteOf({ decision, details, actionId }: AuditRecord): string | null {
  const note = decision?.note ?? (actionId === null ? null : details?.note);
  return typeof note === 'string' && note !== '' ? note : null;
}

export function reasonTone({ reason, undoneAt }: AuditRecord): Tone {
  if (undoneAt !== null) return 'plain';
  if (reason === 'action.approved' || reason === 'action.approval_given') return 'good';
  return reason === 'action.denied' ? 'bad' : 'warning';
}

export const decisionTone = (state: AuditDecision['state']): Tone =>
  ({
    approved: 'good',
    revised: 'plain',
    denied: 'bad',
    withdrawn: 'warning',
    waiting: 'warning',
    expired: 'plain',
  })[state] as Tone;

export function outcomeTone({ outcome, upstreamStatus }: AuditRecord): Tone {
  if (outcome === 'held') return 'warning';
  if (outcome === 'refused' || outcome === 'abandoned' || outcome === 'denied') return 'bad';
  if (outcome === 'forwarded' || outcome === 'executed')
    return upstreamStatus !== null && upstreamStatus >= 500 ? 'warning' : 'good';
  return 'plain';
}
