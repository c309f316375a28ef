import type { RequestEffect } from '#contracts/risk';
import { METHOD_RISK } from '#contracts/states';
import type { ShortSteps } from '../platform/short-steps.js';
import { contentType } from '../request-reading/request-methods.js';
import type { BatchPart } from './batch-part.js';
import { batchIn, parsedJson } from './batch-parts.js';
import type { Classified } from './findings.js';
import { toSubject } from './request-subject.js';
import type { EffectSubject } from './subject.js';

/** What the parts of a batch do together. */
export interface PartsEffects {
  /** Whether the body has nothing else than these requests, apart from texts and numbers. */
  isWhole: boolean;
  /** Whether something in it was not read. */
  isCut: boolean;
  isRead: boolean;
  effects: RequestEffect[];
}

/** How many requests of a batch are read. */
const PARTS_MAX = 200;
const DELETES_MAX = 1;
const WRITES_MAX = 20;

/** How many requests of all batches in a request may still be read. */
export interface Room {
  parts: number;
}

/** @param room what is read is taken from it @param classify null: too many batches in batches */
export function* classifyParts(
  subject: EffectSubject,
  room: Room,
  classify: ((part: EffectSubject) => ShortSteps<Classified>) | null,
): ShortSteps<PartsEffects | null> {
  const { parts, isWhole } = batchIn(subject);
  if (parts.length === 0) return null;
  const max = Math.min(PARTS_MAX, room.parts);
  const read = parts.slice(0, max);
  room.parts -= read.length;
  const found: (Classified & { part: BatchPart })[] = [];
  for (const part of read) {
    yield;
    found.push({ part, ...(yield* effectsOfPart(part, subject, classify)) });
  }
  const count = (effect: string): number =>
    found.filter(({ effects }) => effects.some((each) => each.effect === effect)).length;
  const effects: RequestEffect[] = found.flatMap(({ part, effects: each }) =>
    each.map(({ effect, reason }) => ({
      effect,
      reason: `in the batch, ${part.methods.join('/')} ${part.path.slice(0, 60)}: ${reason}`,
    })),
  );
  const isCut = parts.length > max || found.some(({ isWhole }) => !isWhole);
  if (parts.length > max) effects.push({ effect: 'unclear', reason: 'the batch has more requests than are read' });
  if (count('delete') > DELETES_MAX || count('write') > WRITES_MAX)
    effects.push({ effect: 'bulk', reason: `${parts.length} requests at once` });
  const isUnsure = parts.some((part) => part.isUnsure);
  if (isUnsure)
    effects.push({ effect: 'unclear', reason: 'a request in the batch has several methods, paths or bodies' });
  const isRead = !isUnsure && count('read') === parts.length;
  return { isWhole, isCut, isRead, effects: effects.filter(({ effect }) => effect !== 'read' && effect !== 'write') };
}

function* effectsOfPart(
  part: BatchPart,
  parent: EffectSubject,
  classify: ((part: EffectSubject) => ShortSteps<Classified>) | null,
): ShortSteps<Classified> {
  if (classify === null) return notRead('batches in batches');
  try {
    return yield* classify(partSubject(part, parent));
  } catch {
    // A part that can not be read must not hide what the rest of the request does.
    return notRead('it can not be read');
  }
}

const notRead = (reason: string): Classified => ({ effects: [{ effect: 'unclear', reason }], isWhole: false });

/** A part as its server would read it: as a request to the same host. */
function partSubject({ methods, path, headers, body }: BatchPart, { host, tools }: EffectSubject): EffectSubject {
  const baseUrl = `https://${host}/`;
  // What follows `#` is not sent.
  const [own] = path.trim().split('#', 1);
  const text = body === null ? null : typeof body === 'string' ? body : jsonText(body);
  const request = {
    method: methods[0],
    targetUrl: baseUrl + own.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?\\]*/i, '').replace(/^\//, ''),
    headers: contentType(headers) === '' && isForm(text) ? { ...headers, 'Content-Type': FORM } : { ...headers },
    body: text,
  };
  const subject = toSubject(request, baseUrl, null, tools);
  const all = [...new Set([...methods, ...subject.methods])];
  return { ...subject, methods: all.sort((one, other) => METHOD_RISK[other] - METHOD_RISK[one]) };
}

const FORM = 'application/x-www-form-urlencoded';
/** Some batches have forms as texts: `message=hi&to=me`. */
const isForm = (text: string | null): boolean =>
  text !== null && /^[\w.~%[\]-]{1,100}=/.test(text) && parsedJson(text) === undefined;

/** Integers are `bigint`. What a number is exactly has no effect. */
const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));
