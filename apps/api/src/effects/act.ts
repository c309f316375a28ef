import type { Effect } from '#contracts/effects';
import { singular } from '../request-reading/singular.js';
import {
  isAbout,
  isPluralOfThings,
  namesMany,
  tableOf,
  thingsIn,
  verbAt,
  type FoundThing,
  type FoundVerb,
} from './names.js';
import { clausesOf } from './clauses.js';
import { ENGAGEMENTS, INTERNAL_PLACES, NOUN_VERBS, PLACES_OF_MEMBERS, RUNNING } from './words.js';

/** One thing that a request does, as a name or a sentence says it. */
export interface Act {
  verb: FoundVerb;
  things: readonly FoundThing[];
  /** Whether it names many things: `batchDelete`. */
  isMany: boolean;
  /** For the reason: `the operation "Refund an order"`. */
  name: string;
  /** Whether only the method says what it does: a `POST` may also read. */
  isImplicit?: boolean;
  /** Whether the request says it once for each thing: as a GraphQL field, or in an item of a list. */
  isRepeated?: boolean;
  /** Whether it concerns a whole collection, unless something in the request names one of its things. */
  isCollection?: boolean;
  /** Whether it runs a statement that the request has, so that the statement says what it does. */
  runsSql?: boolean;
  /** Where it puts something: `group` in `add user to group`. */
  place?: string;
  /** Whether it concerns something on which others count, such as a meeting. */
  isEngagement?: boolean;
  /** Whether it concerns something that runs, such as an app. */
  isRunning?: boolean;
  /** Whether it is a verb alone, in a field. */
  isBare?: boolean;
  /** What it does too: `findAndDelete`. */
  others?: readonly Act[];
}

/** Where the object of a sentence ends: `Removes a tag | from a contact`. */
const OBJECT_END = tableOf(
  'of from to for in into on with by that which so under at as via over out if when whether until after before and',
);
const NOUNS_AT_END = tableOf(
  'list view filter check format head tail count match stat display return render see look scan',
);
const STATEMENTS = tableOf('sql statement query soql sosl partiql cypher dml nrql');
const ARTICLES = tableOf(
  'a an the another one own your its this up permanently partially immediately asynchronously safely manually',
);
const [placesOfMembers, internalPlaces, engagements, running] = [
  PLACES_OF_MEMBERS,
  INTERNAL_PLACES,
  ENGAGEMENTS,
  RUNNING,
].map(tableOf);

/** What a sentence such as the summary of an operation says. Null: it begins with no verb that is known. */
export function actInSentence(words: readonly string[], name: string): Act | null {
  const all = words.filter((word) => !ARTICLES.has(word));
  // `Run-time state of a machine`
  if (all[1] === 'time') return null;
  // `Bulk mutate a list of issues`
  const isMany = namesMany(all.slice(0, 1)) && verbAt(all, 0, true) === null && verbAt(all, 1, true) !== null;
  const plain = isMany ? all.slice(1) : all;
  const verb = verbAt(plain, 0, true);
  if (verb === null) return null;
  const object = objectOf(plain.slice(verb.length));
  // `Delete metadata and all versions`
  const isAll = verb.kind === 'delete' && plain.includes('all');
  return { verb, ...object, isMany: isMany || isAll || object.isMany, name };
}

/** The object of a verb, and where it is put. */
function objectOf(
  words: readonly string[],
): Pick<Act, 'things' | 'isMany' | 'place' | 'runsSql' | 'isEngagement' | 'isRunning'> {
  // `time to live` is one thing.
  const end = words.findIndex((word, at) => OBJECT_END.has(word) && words[at - 1] !== 'time');
  const object = end === -1 ? words : words.slice(0, end);
  const place =
    end === -1
      ? undefined
      : words
          .slice(end + 1, end + 4)
          .map(singular)
          .find((word) => placesOfMembers.has(word) || internalPlaces.has(word));
  const message = object.findIndex((word) => singular(word) === 'message');
  // `Send a chat message`
  const inside = object.slice(0, Math.max(message, 0)).find((word) => internalPlaces.has(word));
  // `the settings of the site`
  const isVague = words[end] === 'of' && object.length > 0 && isAbout(object.at(-1)!);
  const owner = isVague ? words.slice(end + 1, end + 3).filter((word) => !OBJECT_END.has(word)) : [];
  return {
    isRunning: object.some((word) => running.has(singular(word))),
    isEngagement: object.some((word) => engagements.has(singular(word))),
    things: thingsIn([...owner, ...object]),
    isMany: namesMany(object),
    place: place ?? inside,
    runsSql: object.some((word) => STATEMENTS.has(singular(word))),
  };
}

/**
 * What a name such as `deleteUser`, `users.delete`, or `issue_delete` says. The verb is at its beginning or its end.
 * Null: it has none.
 */
export function actInName(parts: readonly (readonly string[])[], name: string): Act | null {
  const [first, ...others] = clausesOf(parts.at(-1) ?? []);
  const act = actInClause([...parts.slice(0, -1), first], name);
  return others.length === 0 ? act : joinedAct(act, first.length > 1, others, name);
}

/**
 * What a name such as `findAndModify` says: it reads only if each verb reads.
 * @param hasObject whether a verb alone behind it may be a thing: `getCustomerAndOrder`
 */
export function joinedAct(first: Act | null, hasObject: boolean, others: readonly string[][], name: string): Act {
  const acts = others.map((words): Act => {
    const verb = verbAt(words, 0, false) ?? verbAt(words, 0, true)!;
    const isThing = hasObject && words.length === verb.length && nounVerbs.has(verb.text);
    return { verb: isThing ? { ...verb, kind: 'change' } : verb, ...objectOf(words.slice(verb.length)), name };
  });
  const all = first === null ? acts : [first, ...acts];
  const main = all.find(({ verb }) => !MILD.has(verb.kind)) ?? all.find(({ verb }) => verb.kind !== 'read') ?? all[0];
  const things = all.flatMap((each) => each.things);
  return { ...main, things, others: acts.map((act) => ({ ...act, things })) };
}

const MILD = tableOf('read change everyday');
const nounVerbs = tableOf(NOUN_VERBS);

function actInClause(parts: readonly (readonly string[])[], name: string): Act | null {
  const own = parts.at(-1) ?? [];
  const last = own.at(-1);
  if (last === undefined) return null;
  const isMany = namesMany(own);
  // `doDelete`
  const words = own.length === 1 ? own : own.filter((word, at) => !namesMany([word]) && (at > 0 || word !== 'do'));
  const first = isPluralOfThings(words) && own[1] !== 'all' ? null : verbAt(words, 0, false);
  if (first !== null) {
    const object = words.slice(first.length);
    if (object.length === 0 || OBJECT_END.has(object[0]))
      return {
        verb: first,
        things: thingsIn(parts.at(-2) ?? []),
        isRunning: (parts.at(-2) ?? []).some((word) => running.has(singular(word))),
        isEngagement: (parts.at(-2) ?? []).some((word) => engagements.has(singular(word))),
        isMany,
        name,
      };
    if (first.kind !== 'read' && first.kind !== 'change' && isAbout(last)) return null;
    const found = objectOf(object);
    return { verb: first, ...found, isMany: isMany || found.isMany, name };
  }
  const isObject = words.length < 2 || isPluralOfThings(words) || OBJECT_END.has(words.at(-2)!);
  const found = isObject ? null : verbAt(words, words.length - 1, false);
  // `accessList` is a thing.
  const end = found !== null && NOUNS_AT_END.has(found.text) ? null : found;
  return end && { verb: end, things: thingsIn(words.slice(0, -1)), isMany, name };
}

/** The effects that an act has apart from `read` and `write`. */
export function effectsOf({ others = [], ...act }: Act): Set<Effect> {
  const effects = others.flatMap((other) => [...effectsOfOne(other)]);
  return new Set([...effectsOfOne(act), ...effects]);
}

function effectsOfOne({ verb, things, isMany, place, isEngagement, isRunning }: Act): Set<Effect> {
  const effects = new Set<Effect>();
  const head = things.at(-1);
  const has = (kind: FoundThing['kinds'][number]): boolean => things.some(({ kinds }) => kinds.includes(kind));
  const isEveryday = isSmallAct({ verb, things, isMany });
  if (has('personalData') && !isEveryday) effects.add('personalData');
  if (verb.kind === 'read') {
    if (things.some(({ isSecret }) => isSecret)) effects.add('credentials');
    return effects;
  }
  if (verb.text === 'archive' && head?.kinds.includes('daily') && !isMany) return effects;
  if (isEveryday) return isRestored(verb, head) ? effects.add('delete').add('bulk') : effects;
  const isMember = has('personalData') && place !== undefined && placesOfMembers.has(place) && isPlain(verb);
  if (isMember) effects.delete('personalData');
  if (isMember || (verb.text === 'move' && place !== undefined && MOVED_TO.has(place))) effects.add('permissions');
  for (const kind of OF_THINGS) if (has(kind)) effects.add(kind);
  // To cancel or delete what runs is no new code.
  if (verb.text === 'cancel' || verb.kind === 'delete') effects.delete('code');
  if (has('machine') && verb.kind !== 'delete') effects.add(verb.kind === 'change' ? 'money' : 'code');
  if (has('machine') && STARTS.has(verb.text)) effects.add('money');
  if (verb.text === 'cancel' && isEngagement) effects.add('delete');
  if (RUNS.has(verb.text) && isRunning) effects.add('code');
  if (verb.text === 'replace' && isMany) effects.add('delete');
  if (has('expiry')) effects.add('delete').add('bulk');
  if (!isPlain(verb)) effects.add(verb.kind as Effect);
  if (verb.kind === 'delete' && !isMember) {
    effects.add('delete');
    if (head?.isContainer || isMany) effects.add('bulk');
    if (head !== undefined && ACCOUNTS.has(head.text)) effects.add('permissions');
  }
  if (has('audience') && (verb.kind === 'publishing' || verb.text === 'schedule'))
    effects.add('publishing').add('bulk');
  if (verb.kind === 'publishing' && place !== undefined && internalPlaces.has(place)) effects.delete('publishing');
  return effects;
}

/** Whether it is a small everyday write. */
export function isSmallAct({ verb, things, isMany }: Pick<Act, 'verb' | 'things' | 'isMany'>): boolean {
  const isSmall = (things.at(-1)?.kinds.includes('everyday') ?? false) && isPlain(verb);
  return verb.kind === 'everyday' || (isSmall && !(verb.kind === 'delete' && isMany));
}

/** A backup that is put back replaces what is there. */
const isRestored = ({ text }: FoundVerb, head: FoundThing | undefined): boolean =>
  text === 'restore' &&
  head !== undefined &&
  (head.isContainer || head.kinds.includes('backup') || head.kinds.includes('machine'));

const RUNS = tableOf('start stop');
const STARTS = tableOf('run launch provision create start');
const OF_THINGS = ['money', 'permissions', 'credentials', 'publishing', 'code', 'bulk'] as const;
/** What is in them is seen by others. */
const MOVED_TO = tableOf('parent organization organisation workspace owner drive team');
/** To delete one of them takes somebody's access. */
const ACCOUNTS = tableOf('user member account');

/** Whether only the thing says what the verb means. */
const isPlain = ({ kind }: FoundVerb): boolean => kind === 'change' || kind === 'delete';
