import type { ChannelEvent } from '#contracts/channel-states';
import { RISK_BANDS } from '#contracts/states';

/**
 * The contents of a notification, for all media: docs/reference/notifications.md#content. Each medium shows the texts
 * of others as plain text.
 */
export interface Notice {
  /** The id of the delivery. */
  id: string;
  type: ChannelEvent;
  at: Date;
  /** Contains only the gateway's own words. */
  title: string;
  /** Text written by others, for example an agent. */
  quote: string | null;
  /** Others wrote the values. */
  facts: [label: string, value: string][];
  /** The page about it. null without PUBLIC_URL, or if there is none. */
  link: string | null;
  /** The text of the link. */
  linkText: string;
  /** 1 until the model has assessed the request: what goes by risk treats it as critical. */
  risk: number | null;
  actionId: string | null;
  /** The same contents for programs. */
  data: Record<string, unknown>;
}

/** The part of an event that the triggers store. */
export interface StoredNotice {
  id: string;
  type: ChannelEvent;
  workspaceId: number;
  occurredAt: Date;
  about: Record<string, unknown>;
  digest: Digest | null;
}

/** The contents of a digest, as of now. */
export interface Digest {
  /** Requests that still wait. */
  requests: number;
  /** The highest risk of these requests. */
  risk: number | null;
  others: number;
}

const QUESTIONS: ReadonlySet<string> = new Set(['approval.requested', 'approval.reminder', 'approval.escalated']);

/** Whether people may decide the request in the medium where they read about it. */
export const mayBeDecided = (notice: Notice, belowRisk: number | null): boolean => {
  const { actionId, risk } = notice;
  return isQuestion(notice) && actionId !== null && belowRisk !== null && risk !== null && risk < belowRisk;
};

/** Whether people are to decide about the request. An update is one if only the model has answered. */
export const isQuestion = ({ type, data }: Pick<Notice, 'type' | 'data'>): boolean =>
  QUESTIONS.has(type) || (type === 'approval.updated' && data.status === 'PENDING');

const riskWord = (score: number): string => RISK_BANDS.find(({ from }) => score >= from)!.word;

export function toNotice(
  { id, type, workspaceId, occurredAt, about, digest }: StoredNotice,
  publicUrl: string | null,
): Notice {
  const actionId = typeof about.actionId === 'string' ? about.actionId : null;
  const risk = digest === null ? riskOf(about) : digest.risk;
  const path = digest === null ? toDashboardPath(type, about, actionId) : 'approvals';
  const link = publicUrl === null || path === null ? null : `${publicUrl}/dashboard/${path}?workspace=${workspaceId}`;
  return {
    id,
    type,
    at: occurredAt,
    title: digest === null ? formatTitle(type, about, risk) : digestTitle(digest),
    quote: typeof about.summary === 'string' ? about.summary : null,
    facts: listFacts(about, risk),
    link,
    linkText: isQuestion({ type, data: about }) || isAboutRequests(type) ? 'Review and decide' : 'Open',
    risk,
    actionId,
    data: {
      workspaceId,
      ...about,
      ...(risk === null ? {} : { risk: riskWord(isBeingAssessed(about) ? (about.riskScore as number) : risk) }),
      ...(link === null ? {} : { url: link }),
    },
  };
}

const isAboutRequests = (type: ChannelEvent): boolean => type.startsWith('approval.') && type !== 'approval.updated';

const isBeingAssessed = ({ assessment }: StoredNotice['about']): boolean => assessment === 'pending';

function riskOf(about: StoredNotice['about']): number | null {
  if (typeof about.riskScore !== 'number') return null;
  return isBeingAssessed(about) ? 1 : about.riskScore;
}

/** `medium (0.30)` */
const formatRisk = (score: number): string => `${riskWord(score)} (${score.toFixed(2)})`;

function toDashboardPath(
  type: ChannelEvent,
  { serviceId }: StoredNotice['about'],
  actionId: string | null,
): string | null {
  if (type === 'login.new') return 'settings/security';
  if (actionId !== null) return `approvals/${actionId}`;
  return typeof serviceId === 'number' ? `services/${serviceId}` : null;
}

const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);

function formatTitle(type: ChannelEvent, about: Record<string, unknown>, risk: number | null): string {
  const rated = risk === null ? '' : `${capital(riskWord(risk))} risk: `;
  const word = isBeingAssessed(about) ? 'Risk not assessed yet: ' : rated;
  switch (type) {
    case 'approval.requested':
      return `${word}a request is waiting for approval`;
    case 'approval.reminder':
      return `${word}a request is still waiting for approval`;
    case 'approval.escalated':
      return `${word}a request still has no decision`;
    case 'approval.decided':
      return DECIDED[String(about.status)] ?? 'A request was decided';
    case 'approval.updated':
      return about.status === 'PENDING' ? `${word}a request is waiting for approval` : 'A request has changed';
    case 'approvers.missing':
      return `${word}not enough people can approve a request`;
    case 'connection.expired':
      return 'A service must be reconnected';
    case 'credential.due':
      return 'Credentials are due for rotation';
    case 'risk.failing':
      return 'The risk model is failing: requests are scored by method or held';
    case 'workspace.paused':
      return 'All agents were paused';
    case 'workspace.resumed':
      return 'All agents were resumed';
    case 'login.new':
      return 'Somebody signed in to your account from a new place';
    case 'channel.disabled':
      return 'A channel was turned off: its receiver rejects notifications';
    case 'channel.failing':
      return 'A channel has been failing for a day';
    default:
      return 'Test: this channel works';
  }
}

const DECIDED: Record<string, string | undefined> = {
  APPROVED: 'Approved',
  DENIED: 'Denied',
  EXPIRED: 'Expired: nobody decided in time',
};

function digestTitle({ requests, others }: Digest): string {
  const waiting =
    requests === 0 ? [] : [`${requests} ${requests === 1 ? 'request is' : 'requests are'} waiting for approval`];
  const more = others === 0 ? [] : [`${others} other ${others === 1 ? 'notification' : 'notifications'}`];
  return [...waiting, ...more].join(', ');
}

const FACTS: [field: string, label: string][] = [
  ['agent', 'Agent'],
  ['service', 'Service'],
  ['workspace', 'Workspace'],
  ['decidedBy', 'By'],
  ['by', 'By'],
  ['channel', 'Channel'],
  ['reason', 'Reason'],
  ['place', 'From'],
];

function listFacts(about: Record<string, unknown>, risk: number | null): Notice['facts'] {
  const facts: Notice['facts'] =
    risk === null ? [] : [['Risk', isBeingAssessed(about) ? soFar(about) : formatRisk(risk)]];
  for (const [field, label] of FACTS) {
    const value = about[field];
    if (typeof value === 'string' && value !== '') facts.push([label, value]);
  }
  for (const [field, label] of [
    ['expiresAt', 'Expires'],
    ['dueAt', 'Due'],
    ['signedInAt', 'Time'],
  ]) {
    const at = new Date(String(about[field]));
    if (about[field] !== undefined && !Number.isNaN(at.getTime())) facts.push([label, formatTime(at)]);
  }
  return facts;
}

const soFar = ({ riskScore }: StoredNotice['about']): string =>
  `not assessed by the model yet, so far ${formatRisk(riskScore as number)}`;

/** `2026-01-31 12:00 UTC`. The time zone of the reader is not known. */
const formatTime = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
