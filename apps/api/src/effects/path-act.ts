import { isParameter, pathSegments } from '../request-reading/path-template.js';
import { actInName, type Act } from './act.js';
import { singular } from '../request-reading/singular.js';
import { clausesOf } from './clauses.js';
import { endsAtProtocol } from './path-places.js';
import type { PathWords } from './path-words.js';
import { NOUN_READS } from './words.js';
import { isAbout, namesMany, tableOf, thingsIn, verbAt, wordsOf, type FoundThing, type FoundVerb } from './names.js';

/** What the method says if the path has no verb. */
const VERB_OF_METHOD: Record<string, FoundVerb> = {
  GET: { kind: 'read', text: 'get', length: 1 },
  HEAD: { kind: 'read', text: 'get', length: 1 },
  OPTIONS: { kind: 'read', text: 'get', length: 1 },
  DELETE: { kind: 'delete', text: 'delete', length: 1 },
};
const CHANGE: FoundVerb = { kind: 'change', text: 'change', length: 1 };

export const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export const verbOfMethod = (method: string): FoundVerb => VERB_OF_METHOD[method] ?? CHANGE;

/** A parameter that holds the name of an act. */
const NAMES_ACT =
  /(?:^|_|-)(?:action|method|command|verb|function|service|operation|procedure|event|transition)$|(?:Action|Method|Command|Function|Service|Operation)$/;

/** The values of the parameters that hold the name of an act: `/services/{domain}/{service}`. */
export function actsInParameters(template: string, path: string): Act[] {
  const [segments, values] = [pathSegments(template.split('?', 1)[0]), pathSegments(path)];
  if (segments.length > values.length) return [];
  const named = values.slice(-segments.length);
  return segments.flatMap((each, at) => {
    if (!isParameter(each) || !NAMES_ACT.test(each.slice(1, -1))) return [];
    const label = `the path names "${named[at].slice(0, 60)}"`;
    const [before, own] = [wordsOf(named[at - 1] ?? ''), wordsOf(named[at])];
    return actInName([before, own], label) ?? actInName([before], label) ?? [];
  });
}

/** What method and path say. */
export function actInPath(method: string, { literals, isDocumented }: PathWords, name: string): Act {
  const ofMethod = verbOfMethod(method);
  const at = literals.findLastIndex((each) => each !== null && each.length > 0);
  const own = at === -1 ? [] : literals[at]!;
  const before = literals.slice(0, Math.max(at, 0)).filter((each) => each !== null && each.length > 0) as string[][][];
  const isNested = literals.slice(0, Math.max(at, 0)).includes(null);
  const isDelete = ofMethod.kind === 'delete';
  // Only a template tells that a word names a thing, and is no value that the agent chose.
  const counted = (found: readonly FoundThing[]): readonly FoundThing[] =>
    found.flatMap((thing) => {
      if (!thing.kinds.includes('everyday')) return thing;
      // `DELETE /tags/{id}` takes the tag from everything that has it.
      if (isDocumented && isDelete && !isNested && thing.isDefinition)
        return { ...thing, kinds: [], isContainer: true };
      return isDocumented ? thing : [];
    });
  // The body says what `/call_kw` and `/$batch` do.
  if (endsAtProtocol({ literals, isDocumented }))
    return { verb: ofMethod, things: [], isMany: false, name, isImplicit: ofMethod.kind === 'change' };
  const isEnd = literals.slice(at + 1).filter((each) => each === null || each.length > 0).length <= 1;
  const parent = before.findLast((parts) => !namesMany(parts.flat()) || parts.flat().length > 1)?.flat() ?? [];
  const named =
    isEnd && (isDocumented || ofMethod.kind !== 'read' || own.flat().length <= 2 || beginsWithVerb(own))
      ? actInName(own.length > 1 ? own : [parent, ...own], name)
      : null;
  // `/files/{id}/export` is one thing in another format.
  const isOne =
    named?.verb.kind === 'bulk' && literals[at - 1] === null && !named.things.some(({ isContainer }) => isContainer);
  const act = isOne ? null : named;
  if (act !== null && !(act.verb.kind === 'read' && ofMethod.kind === 'read')) {
    // `/disputes/{id}/accept-claim` acts on a dispute.
    const acted = [...thingsIn(parent).filter(({ kinds }) => !kinds.includes('everyday')), ...act.things].filter(
      // `/users/{id}/lifecycle/activate`
      ({ kinds }) => !kinds.includes('expiry'),
    );
    if (!isDelete) return { ...act, things: counted(acted) };
    return { ...act, verb: ofMethod, things: counted([...act.things, ...thingsIn(own.flat())]) };
  }
  const found = isEnd && !isOne ? counted(thingsOf(before, own.flat(), isDocumented)) : [];
  const isMany = before.some((parts) => namesMany(parts.flat()) && parts.flat().length === 1);
  const isCollection =
    isDelete && isDocumented && at === literals.length - 1 && own.length > 0 && isPlural(own.flat().at(-1)!);
  return { verb: ofMethod, things: found, isMany, name, isImplicit: ofMethod.kind === 'change', isCollection };
}

/** `/deactivateUserAccount` and `/purge-old-files` act. `/kill-op-bot` may be the name of something. */
function beginsWithVerb(parts: readonly (readonly string[])[]): boolean {
  const words = parts.at(-1) ?? [];
  const verb = verbAt(words, 0, false);
  if (verb === null) return false;
  const object = words.slice(verb.length);
  return verb.kind === 'delete' || thingsIn(object).length > 0 || namesMany(object) || clausesOf(words).length > 1;
}

const isPlural = (word: string): boolean => singular(word) !== word;

/** The things that the end of a path names. */
function thingsOf(before: readonly string[][][], own: readonly string[], isDocumented: boolean): FoundThing[] {
  // `/webhooks/event/settings` is about webhooks.
  const isVague = own.length > 0 && isAbout(own.at(-1)!);
  const near = before.filter((parts) => !namesMany(parts.flat()) || parts.flat().length > 1);
  const parents = near.slice(isVague ? -3 : -1).flat(2);
  const together = thingsIn([...parents, ...own]);
  const alone = thingsIn(own);
  // Without a template, an unknown word may be a name: `/payment_gateways/bacs`.
  if (isVague || (!isDocumented && alone.length === 0)) return together;
  // `/ipAccessControlLists/{id}/ipAddresses`, `/group/user`
  return together.filter(
    (thing) => alone.some(({ text }) => text === thing.text) || PARENTS.some((kind) => thing.kinds.includes(kind)),
  );
}

/** What is in a thing of these kinds has its effect. */
const PARENTS = ['permissions', 'credentials'] as const;

/**
 * Whether a path has a verb that acts: at its end, or behind a value. Elsewhere, a word such as `order` names a thing.
 */
export const actsSomewhere = ({ literals }: PathWords): boolean =>
  literals.some((parts, at) =>
    (parts ?? []).some((words) => {
      const verb = verbAt(words, 0, false);
      if (verb === null || verb.kind === 'read') return false;
      return literals[at - 1] === null || at === literals.length - 1 || thingsIn([verb.text]).length === 0;
    }),
  );

/** What verbs behind values say, in a path that no template describes: `/orders/7/refund/preview`. */
export function actsInside({ literals }: PathWords, name: string): Act[] {
  return literals.flatMap((parts, at) => {
    if (!parts || literals[at - 1] !== null || at === literals.length - 1) return [];
    const act = actInName(parts, name);
    return act === null || act.verb.kind === 'read' || act.verb.kind === 'change' ? [] : act;
  });
}

/** Whether the last segment is a verb that reads: `/search`, `/users/lookupByEmail`. */
export function readsAtEnd(path: PathWords): boolean {
  const last = path.literals.at(-1);
  if (!last || last.length === 0) return false;
  const act = actInName(last, '');
  // `/notifications/read` marks them as read.
  const isMark =
    act?.verb.text === 'read' &&
    path.literals.some((parts) => parts?.flat().some((word) => READ_BY_PEOPLE.has(singular(word))));
  // `POST /estimate` and `POST /list` may make one.
  const isThing =
    nounReads.has(last.flat().join('-')) || (act?.verb.text === 'list' && path.literals.flat(2).length === 1);
  // `POST /queues/{id}/get` takes messages out.
  const isTaken =
    act !== null && TAKES.has(act.verb.text) && path.literals.flat(2).some((word) => QUEUES.has(singular(word ?? '')));
  return (
    act?.verb.kind === 'read' &&
    !isTaken &&
    !isMark &&
    !isThing &&
    !actsSomewhere({ ...path, literals: path.literals.slice(0, -1) })
  );
}

const nounReads = tableOf(NOUN_READS);
const READ_BY_PEOPLE = tableOf('notification message thread conversation inbox mail email chat');
const [TAKES, QUEUES] = ['get receive fetch', 'queue topic stream'].map(tableOf);
