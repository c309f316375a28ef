import type { ShortSteps } from '../platform/short-steps.js';
import type { JsonValue } from '../request-reading/request-content.js';
import type { Entry } from './entry.js';
import type { EffectSubject } from './subject.js';
import { addXml } from './xml-entries.js';
import { namesOf, partsOf } from './field-names.js';
import { wordsOf } from './names.js';
import { isContentBelow } from './field-words.js';

/** What was read of the parameters and fields. */
export interface Entries {
  list: readonly Entry[];
  /** Whether there is more than was read. */
  isCut: boolean;
}

const ENTRIES_MAX = 5000;
/** Fields in a step. Each takes some microseconds. */
const IN_STEP = 50;
const DEPTH_MAX = 12;
/** One value can stand in many places: as a variable of GraphQL. A body has at most half as many. */
const VALUES_MAX = 200_000;

/** All parameters and fields of a request, as far as a reader would follow. Without recursion. */
export function* entriesOf({
  query,
  content,
  body,
}: Pick<EffectSubject, 'query' | 'content' | 'body'>): ShortSteps<Entries> {
  const list: Entry[] = [];
  for (const [name, value] of query) add(list, name, value, true);
  if (content.kind === 'form') {
    for (const [name, values] of content.fields) for (const value of values) add(list, name, value, false);
  }
  if (content.kind === 'unreadable') {
    const isJson = /^\s*[[{]/.test(body ?? '');
    for (const [name, value] of new URLSearchParams(isJson ? '' : (body ?? '').slice(0, GUESSED_MAX))) {
      if (list.length > ENTRIES_MAX) break;
      add(list, name, value, false);
    }
    return { list: [...list, ...(yield* guessed(body))], isCut: true };
  }
  if (content.kind === 'text' && /^\s*--/.test(content.text)) {
    const text = content.text.slice(0, FORM_MAX);
    for (const [, name, value] of text.matchAll(PART)) add(list, name, value, false);
    return { list, isCut: list.length > ENTRIES_MAX };
  }
  const roots = content.kind === 'json' ? [content.value] : content.kind === 'lines' ? content.values : [];
  const isXml = content.kind === 'text' && content.text.trimStart().startsWith('<');
  const isCut = isXml ? addXml(list, content.text) : yield* addJson(list, roots);
  return { list, isCut: isCut || list.length > ENTRIES_MAX };
}

/**
 * @param above how many levels the roots are below the top
 * @returns whether something was left out
 */
export function* addJson(list: Entry[], roots: readonly JsonValue[], above = 0): ShortSteps<boolean> {
  const left = roots.map((value) => ({ value, depth: above, isContent: false, top: '' })).reverse();
  let isCut = false;
  let visits = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, depth, isContent, top: outer } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > DEPTH_MAX || list.length > ENTRIES_MAX) {
      isCut = true;
      continue;
    }
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object') left.push({ value: item, depth, isContent, top: outer });
      continue;
    }
    const beside = Object.keys(value);
    for (const written of beside) {
      const item = value[written];
      visits += Array.isArray(item) ? item.length : 1;
      if (list.length > ENTRIES_MAX || visits > VALUES_MAX) return true;
      if (list.length % IN_STEP === 0) yield;
      const names = namesOf(written);
      const [name] = names;
      const top = depth === 0 ? written : outer;
      list.push({ top, written, name, names, value: item, depth, isContent, isQuery: false, beside });
      const isBelow = isContent || isContentBelow(name, depth, isObject(item));
      left.push({ value: item, depth: depth + 1, isContent: isBelow, top });
    }
  }
  return isCut;
}

const isObject = (value: JsonValue): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `items[0][price]` and `LaunchPermission.Add.1.Group` are fields in fields. Each name in them may say something. */
function add(list: Entry[], written: string, value: string, isQuery: boolean): void {
  let isContent = false;
  const parts = partsOf(written);
  for (const [depth, part] of parts.entries()) {
    // PHP reads `request.type` as one name.
    const isLast = parts.length > 1 && depth === parts.length - 1;
    const names = isLast ? [...namesOf(part), ...namesOf(written)] : namesOf(part);
    const top = written.split(/[[.]/, 1)[0];
    list.push({ top, written, name: names[0], names, value, depth, isContent, isQuery, beside: [] });
    // `document[visibility]`
    isContent ||= isContentBelow(names[0], depth, true);
  }
}

/** A field in a form that also has files, with the beginning of its value. */
const PART = /\bname="([^"\r\n]{1,100})"(?!;\s{0,5}filename)[^"]{0,200}?\r?\n\r?\n([^\r\n]{0,200})/g;
/** Longer ones are not read to the end. */
const FORM_MAX = 200_000;

/** A name and a value, as far as a text looks like JSON. */
const PAIR = /"([^"\\]{1,100})"\s*:\s*(?:"([^"\\]{0,200})|(true|false|null|-?\d+)|([[{]))/g;
const WORDS = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
]);
/** The rest is `unclear`, as all of the body is. */
const GUESSED_MAX = 200_000;

/** What a body that readers may take in different ways may say. It only adds. */
function* guessed(body: string | null): ShortSteps<Entry[]> {
  const list: Entry[] = [];
  for (const [, written, text, word, opening] of (body ?? '').slice(0, GUESSED_MAX).matchAll(PAIR)) {
    if (list.length === ENTRIES_MAX) break;
    if (list.length % IN_STEP === 0) yield;
    list.push({
      top: written,
      written,
      name: wordsOf(written).join('-'),
      names: namesOf(written),
      value: opening ? [written] : word ? (word === 'null' ? null : (WORDS.get(word) ?? Number(word))) : text,
      depth: 0,
      isContent: false,
      isQuery: false,
      beside: [],
    });
  }
  return list;
}
