import type { Action, ReviseActionRequest } from '#contracts';
import { draft, keepDraft } from '../../../lib/drafts.js';
import type { SentRequest } from '../difference/difference.js';

/** The values that the person has typed. */
export interface RevisionDraft {
  method: Action['method'];
  targetUrl: string;
  headers: { name: string; value: string }[];
  body: string;
  note: string;
}

type Proposed = SentRequest & Pick<Action, 'action_id' | 'parts'>;

export const toRevisionDraft = ({ method, targetUrl, headers, body }: SentRequest): RevisionDraft => ({
  method,
  targetUrl,
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  body: (body ?? '').replaceAll('\r\n', '\n'),
  note: '',
});

const draftKey = ({ action_id }: Proposed): string => `revise:${action_id}`;

/** The draft that was kept, or else the agent's proposal. */
export function keptDraft(action: Proposed): RevisionDraft {
  const kept = draft(draftKey(action));
  return kept === '' ? toRevisionDraft(action) : (JSON.parse(kept) as RevisionDraft);
}

export const keep = (action: Proposed, typed: RevisionDraft | null): void =>
  keepDraft(draftKey(action), typed === null ? '' : JSON.stringify(typed));

/** Why the body can't be edited: a text field would change it, or could not show it. null: it can be edited. */
export function whyBodyIsFixed({
  body,
  bodyEncoding,
  headers,
  parts,
}: Proposed): 'binary' | 'form' | 'lineEnds' | null {
  if (bodyEncoding) return 'binary';
  if (parts || /^multipart\//i.test(findHeader(headers, 'content-type'))) return 'form';
  const typed = (body ?? '').replaceAll('\r\n', '\n');
  return typed.includes('\r') || sentText(body, typed) !== (body ?? '') ? 'lineEnds' : null;
}

/** A text field converts line breaks to LF. A body that had CRLF gets them back. */
const sentText = (proposed: string | null, typed: string): string =>
  proposed?.includes('\r\n') ? typed.replaceAll('\n', '\r\n') : typed;

/** The request that would be sent. No text in the body means no body. */
export function revised(action: Proposed, typed: RevisionDraft): SentRequest {
  const { method, targetUrl } = typed;
  const headers = Object.fromEntries(named(typed).map(({ name, value }) => [name.trim(), value.trim()]));
  if (whyBodyIsFixed(action) !== null)
    return { method, targetUrl, headers, body: action.body, bodyEncoding: action.bodyEncoding };
  const body = sentText(action.body, typed.body);
  // A new body is text that nobody encoded.
  const codings = body !== (action.body ?? '') && 'content-encoding';
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== codings));
  return { method, targetUrl, headers: kept, body: body === '' ? null : body };
}

/** The change for the gateway: only the parts that differ. */
export function toReviseRequest(action: Proposed & Pick<Action, 'digest'>, typed: RevisionDraft): ReviseActionRequest {
  const { method, targetUrl, headers, body } = revised(action, typed);
  return {
    ...(method !== action.method && { method }),
    ...(targetUrl !== action.targetUrl && { targetUrl }),
    ...(JSON.stringify(headers) !== JSON.stringify(action.headers) && { headers }),
    ...(body !== action.body && { body }),
    note: typed.note.trim() || null,
    digest: action.digest ?? undefined,
  };
}

/** Why the headers can't be sent. null: they can be sent. */
export function headerFault(typed: RevisionDraft): { kind: 'unnamed' } | { kind: 'twice'; name: string } | null {
  const seen = new Set<string>();
  for (const { name } of named(typed)) {
    const lower = name.trim().toLowerCase();
    if (lower === '') return { kind: 'unnamed' };
    if (seen.has(lower)) return { kind: 'twice', name };
    seen.add(lower);
  }
  return null;
}

/** Leaves out rows that are still empty. */
const named = ({ headers }: RevisionDraft) => headers.filter(({ name, value }) => name.trim() !== '' || value !== '');

/** Whether method, URL or headers are no longer those that the agent proposed. */
export function isTargetChanged(action: Proposed, { method, targetUrl, headers }: RevisionDraft): boolean {
  const proposed = toRevisionDraft(action);
  const isSame =
    method === proposed.method &&
    targetUrl === proposed.targetUrl &&
    JSON.stringify(headers) === JSON.stringify(proposed.headers);
  return !isSame;
}

/** Whether the body is that of a form without parts. */
export const isFormBody = ({ headers }: Proposed): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(findHeader(headers, 'content-type'));

const findHeader = (headers: Record<string, string>, wanted: string): string =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
