/** What the model sees of a request, and what it does not see (docs/reference/risk.md#unseen). */
import { createHash } from 'node:crypto';
import { CREDENTIAL_MASK } from '#contracts/headers';
import { judgedMethod } from '../request-reading/request-methods.js';
import { maskedEnds, maskHeader, maskQuery, maskTokens, SECRET_MAX, type Mask } from '../request-reading/masks.js';
import { isOrdinary, json } from './prompt-json.js';
import type { RequestPart, RiskRequest } from './risk-verdict.js';

/**
 * A part of the request that the model does not see, or does not see completely. Text that is masked as a secret counts
 * only if it is longer than a secret can be.
 */
export interface Unseen {
  part: RequestPart;
  /** About how much is missing. */
  bytes: number;
  /** Whether the model sees a description in place of the part. */
  isDescribed?: boolean;
}

export interface ShownRequest {
  /** For the prompt. */
  data: object;
  unseen: Unseen[];
}

const HEADERS_SHOWN = 50;
/** How much longer a text may become when encoded as JSON. One UTF-16 unit can need six characters there. */
const ESCAPING = 2;
/** If a text is too long, this share of what is shown comes from its start, the rest from its end. */
const HEAD_SHARE = 0.75;
/** A text of up to this many budgets is masked as a whole: its secrets take little room. Of a header, one budget. */
const MASKED_BUDGETS = 4;

/** @param maxBytes how much text of the request the model sees: intent, URL, headers and body together */
export function showRequest(request: RiskRequest, maxBytes: number): ShownRequest {
  const { body, bodyDescription = null } = request;
  const draft = (text: string, mask: Mask): Draft => toDraft(text, maxBytes, mask);
  const headers = headersDraft(request.headers, (text, mask) => toDraft(text, maxBytes, mask, bytes, maxBytes));
  const drafts = {
    intent: draft(request.intent, maskTokens),
    url: draft(request.targetUrl, maskQuery),
    headers,
    body: draft(bodyDescription ?? body ?? '', maskTokens),
  };
  const parts = Object.keys(drafts) as RequestPart[];
  const shares = shared(maxBytes, Object.values(drafts));
  const shown = Object.fromEntries(parts.map((part, at) => [part, drafts[part].within(shares[at])])) as Record<
    RequestPart,
    Shown
  >;
  const unseen = parts.flatMap((part): Unseen[] => {
    if (part === 'body' && bodyDescription !== null) return [{ part, bytes: body?.length ?? 0, isDescribed: true }];
    const hidden = drafts[part].hiddenBytes > SECRET_MAX ? drafts[part].hiddenBytes : 0;
    const missing = shown[part].unseenBytes + hidden;
    return missing > 0 ? [{ part, bytes: missing }] : [];
  });
  const method = judgedMethod(request);
  const data = {
    intent: shown.intent.value,
    method: request.method,
    ...(method !== request.method && { asksToBeTakenFor: method }),
    targetUrl: shown.url.value,
    headers: shown.headers.value,
    ...(headers.leftOut > 0 && { headersLeftOut: headers.leftOut }),
    body: body === null ? null : shown.body.value,
  };
  return { data, unseen };
}

/** The text if it has at most `max` characters, else its start and end. */
export const excerpt = (text: string, max: number): unknown =>
  toDraft(text, max, (same) => same, characters).within(max).value;

/** A text, or a list of texts, that is shown as whole as its share of the budget allows. */
interface Draft {
  size: number;
  /** How much of the text is masked. */
  hiddenBytes: number;
  within(share: number): Shown;
}

interface Shown {
  value: unknown;
  unseenBytes: number;
}

type Size = (text: string) => number;

const characters: Size = (text) => Math.max(text.length, escapedLength(text) / ESCAPING);
/** Ordinary text is not encoded to measure it: as JSON for a prompt, it has at most twice its size. */
const bytes: Size = (text) =>
  isOrdinary(text) ? text.length : Math.max(Buffer.byteLength(text), escapedLength(text) / ESCAPING);
/** Without the quotation marks. */
const escapedLength = (text: string): number => json(text).length - 2;

function toDraft(
  text: string,
  budget: number,
  mask: Mask,
  measureSize: Size = bytes,
  maskedMax = budget * MASKED_BUDGETS,
): Draft {
  const masked = text.length <= maskedMax ? mask(text) : null;
  // What cannot fit is not measured exactly, because that takes time.
  const least = masked?.length ?? text.length;
  const size = masked === null || least > budget ? least : measureSize(masked);
  return {
    size,
    hiddenBytes: masked === null || masked === text ? 0 : bytesBehindMasks(text, masked),
    within(share) {
      if (size <= share) return { value: masked, unseenBytes: 0 };
      const headMax = Math.floor(share * HEAD_SHARE);
      const ends = masked === null ? maskedEnds(text, headMax, share - headMax, mask) : [masked, masked];
      const head = longestFit(ends[0], headMax, measureSize, (part, length) => part.slice(0, length));
      const tail = longestFit(ends[1], share - headMax, measureSize, (part, length) =>
        part.slice(part.length - length),
      );
      // Half a surrogate pair is no character.
      const value = { head: head.replace(/[\ud800-\udbff]$/, ''), tail: tail.replace(/^[\udc00-\udfff]/, '') };
      const seen = Buffer.byteLength(value.head) + Buffer.byteLength(value.tail);
      return {
        value: { ...value, ...sizeAndHash(text), note: 'only its head and tail are shown' },
        unseenBytes: Math.max(1, Buffer.byteLength(masked ?? text) - seen),
      };
    },
  };
}

/** The masks don't count as shown text. Otherwise many masks of short values could outweigh one long masked value. */
const bytesBehindMasks = (text: string, masked: string): number =>
  Buffer.byteLength(text) - Buffer.byteLength(masked.replaceAll(CREDENTIAL_MASK, ''));

const sizeAndHash = (text: string) => ({
  sizeBytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});

/**
 * Returns the longest part that fits, or one that is nearly as long. Each step cuts the part to the length that would
 * fit if all characters had the same size.
 */
function longestFit(
  text: string,
  max: number,
  measureSize: Size,
  cut: (part: string, length: number) => string,
): string {
  let part = cut(text, Math.min(text.length, max));
  for (let size = measureSize(part); size > max; size = measureSize(part)) {
    part = cut(part, Math.min(part.length - 1, Math.floor((part.length * max) / size)));
  }
  return part;
}

function headersDraft(
  headers: Record<string, string>,
  draft: (text: string, mask: Mask) => Draft,
): Draft & { leftOut: number } {
  const entries = Object.entries(headers);
  const drafts = entries
    .slice(0, HEADERS_SHOWN)
    .flatMap(([name, value]) => [draft(name, maskTokens), draft(value, maskHeader(name))]);
  const leftOut = entries.slice(HEADERS_SHOWN);
  return {
    leftOut: leftOut.length,
    size: drafts.reduce((sum, { size }) => sum + size, 0),
    hiddenBytes: drafts.reduce((sum, { hiddenBytes }) => sum + hiddenBytes, 0),
    within(share) {
      const shares = shared(share, drafts);
      const shown = drafts.map((text, at) => text.within(shares[at]));
      const value = entries
        .slice(0, HEADERS_SHOWN)
        .map((_entry, at) => ({ name: shown[2 * at].value, value: shown[2 * at + 1].value }));
      const unseen = shown.reduce((sum, { unseenBytes }) => sum + unseenBytes, 0);
      return { value, unseenBytes: unseen + Buffer.byteLength(leftOut.flat().join('')) };
    },
  };
}

/** Shares a budget evenly. What a small draft does not need goes to the others. */
function shared(budget: number, drafts: readonly Draft[]): number[] {
  const shares = drafts.map(({ size }) => Math.ceil(size));
  if (shares.reduce((sum, size) => sum + size, 0) <= budget) return shares;
  let left = budget;
  const bySize = Array.from(drafts.keys()).sort((one, other) => drafts[one].size - drafts[other].size);
  for (const [done, at] of bySize.entries()) {
    shares[at] = Math.min(shares[at], Math.floor(left / (drafts.length - done)));
    left -= shares[at];
  }
  return shares;
}
