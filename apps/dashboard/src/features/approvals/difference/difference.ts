import type { Action } from '#contracts';
import { firstHeader } from '../../../components/request/request-texts.js';
import { hasRepeatedKeys, readJson } from '../../../lib/json-tree.js';
import { changedFields, type ChangedField } from './changed-fields.js';
import { changedLines, type LinePart } from './changed-lines.js';

/** The parts of a request that the upstream receives, apart from the credentials. */
export type SentRequest = Pick<Action, 'method' | 'targetUrl' | 'headers' | 'body' | 'bodyEncoding'>;

/** A part of a request that was changed. null: the part is missing. */
export interface ChangedPart {
  part: 'method' | 'url' | 'header';
  /** The name of a header. */
  name: string;
  before: string | null;
  after: string | null;
}

/** `form`: the same values, written differently. `bytes`: at least one of the bodies is not text. */
export type ChangedBody =
  | { kind: 'fields'; fields: ChangedField[] }
  | { kind: 'lines'; lines: LinePart[] }
  | { kind: 'form' }
  | { kind: 'bytes' };

export interface Difference {
  parts: ChangedPart[];
  body: ChangedBody | null;
}

/** The difference between two requests, in a form that a person can read. */
export function compareRequests(before: SentRequest, after: SentRequest): Difference {
  const parts: ChangedPart[] = [
    { part: 'method', name: '', before: before.method, after: after.method },
    { part: 'url', name: '', before: before.targetUrl, after: after.targetUrl },
    ...headerPairs(before.headers, after.headers),
  ];
  return { parts: parts.filter((part) => part.before !== part.after), body: changedBody(before, after) };
}

/** Other types, like JSON by line, may name JSON too. There, white space means something. */
const JSON_TYPE = /^[^;]*\bjson\s*(;|$)/i;

export const isSame = ({ parts, body }: Difference): boolean => parts.length === 0 && body === null;

/** Names of headers are compared without regard to case. */
function headerPairs(before: Record<string, string>, after: Record<string, string>): ChangedPart[] {
  const [old, now] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...now.keys()])].map((key) => ({
    part: 'header',
    name: (now.get(key) ?? old.get(key))!.name,
    before: old.get(key)?.value ?? null,
    after: now.get(key)?.value ?? null,
  }));
}

/** A header that occurs twice is sent with both values. */
function byName(headers: Record<string, string>): Map<string, { name: string; value: string }> {
  const found = new Map<string, { name: string; value: string }>();
  for (const [name, value] of Object.entries(headers)) {
    const earlier = found.get(name.toLowerCase());
    found.set(name.toLowerCase(), { name, value: earlier ? `${earlier.value}, ${value}` : value });
  }
  return found;
}

function changedBody(before: SentRequest, after: SentRequest): ChangedBody | null {
  if (before.body === after.body && before.bodyEncoding === after.bodyEncoding) return null;
  if (before.bodyEncoding || after.bodyEncoding) return { kind: 'bytes' };
  const [old, now] = [before.body ?? '', after.body ?? ''];
  // In another type, white space and the order of fields may mean something.
  const [a, b] = [before, after].map(({ headers, body }) =>
    JSON_TYPE.test(firstHeader(headers, 'content-type')) ? readJson(body ?? '') : null,
  );
  if (!a || !b || hasRepeatedKeys(a) || hasRepeatedKeys(b)) return { kind: 'lines', lines: changedLines(old, now) };
  const fields = changedFields(a, b);
  return fields.length > 0 ? { kind: 'fields', fields } : { kind: 'form' };
}
