import { isParameter, pathSegments } from '../request-reading/path-template.js';
import { actInName, type Act } from './act.js';
import { singular } from '../request-reading/singular.js';
import { isAbout, namesMany, tableOf, thingsIn, verbAt, wordsOf, type FoundThing, type FoundVerb } from './names.js';

/** What the method says if the path has no verb. */
const VERB_OF_METHOD: Record<string, FoundVerb> = {
  GET: { kind: 'read', text: 'get', length: 1 },
  HEAD: { kind: 'read', text: 'get', length: 1 },
  OPTIONS: { kind: 'read', text: 'get', length: 1 },
  DELETE: { kind: 'delete', text: 'delete', length: 1 },
};
const CHANGE: FoundVerb = { kind: 'change', text: 'change', length: 1 };

export const verbOfMethod = (method: string): FoundVerb => VERB_OF_METHOD[method] ?? CHANGE;

/** The segments that were read, counted from the end. Longer paths name places. */
const SEGMENTS_MAX = 30;

/** A part of a path that the API chose, empty if it says nothing. Null: a value. */
type Literal = string[][] | null;

export interface PathWords {
  literals: Literal[];
  isDocumented: boolean;
}

/** `/v1`, `/2010-04-01`, `/api`, and ids: they say nothing. */
const EMPTY =
  /^(?:v?\d[\d.-]*(?:alpha|beta)?\d*|api|rest|@?me|self|mine|own|all|rpc|async|\$ref|\$count|\$value|actions|lifecycle|operations)$/i;
/** A word or a name of words. An id has digits. */
const WORDS = /^[$_:@]?[A-Za-z]+(?:[-_.:]+[A-Za-z]+)*$/;
/** A parameter that holds the name of an act. */
const NAMES_ACT =
  /(?:^|_|-)(?:action|method|command|verb|function|service|operation|procedure|event|transition)$|(?:Action|Method|Command|Function|Service|Operation)$/;

/** @param template of the documented operation */
export function templateWords(template: string): PathWords {
  const segments = pathSegments(template.split('?', 1)[0]).slice(-SEGMENTS_MAX);
  return {
    literals: segments.map((each) => (isParameter(each) ? null : literal(each.replace(/\{[^{}]*\}/g, '')))),
    isDocumented: true,
  };
}

/** The words of a path that no template describes: what has digits counts as a value. */
export const pathWords = (path: string): PathWords => ({
  literals: withoutNames(
    pathSegments(path)
      .slice(-SEGMENTS_MAX)
      .map((each) => (WORDS.test(each) ? literal(each) : null)),
  ),
  isDocumented: false,
});

/** Behind a plural stands a name, unless it is a known word: `/folders/old-reports`. */
const withoutNames = (literals: Literal[]): Literal[] =>
  literals.map((each, at) => {
    const before = literals[at - 1]?.flat().at(-1);
    const words = each?.flat() ?? [];
    if (
      before === undefined ||
      words.length === 0 ||
      singular(before) === before ||
      singular(words.at(-1)!) !== words.at(-1)
    )
      return each;
    return actInName([words], '') === null && thingsIn(words).length === 0 && !words.some(isAbout) ? null : each;
  });

/** Parameters without a value, such as S3's `?policy`. */
export const bareNames = (query: URLSearchParams): string[] =>
  [...query]
    .filter(([, value]) => value === '')
    .map(([name]) => name)
    .slice(0, 3);

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

/** The dotted parts of a segment, without an extension: `chat.postMessage`. */
const literal = (segment: string): Literal =>
  EMPTY.test(segment)
    ? []
    : segment
        .replace(/\.(?:json|xml|php|aspx?|do|html?|csv)$/i, '')
        .split(/[.:]/)
        .map(wordsOf)
        .filter((words) => words.length > 0);

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
    isEnd && (isDocumented || ofMethod.kind !== 'read' || own.flat().length <= 2)
      ? actInName(own.length > 1 ? own : [parent, ...own], name)
      : null;
  // `/files/{id}/export` is one thing in another format.
  const isOne =
    named?.verb.kind === 'bulk' && literals[at - 1] === null && !named.things.some(({ isContainer }) => isContainer);
  const act = isOne ? null : named;
  if (act !== null && !(act.verb.kind === 'read' && ofMethod.kind === 'read')) {
    // `/disputes/{id}/accept-claim` acts on a dispute.
    const acted = [...thingsIn(parent).filter(({ kinds }) => !kinds.includes('everyday')), ...act.things];
    if (!isDelete) return { ...act, things: counted(acted) };
    return { ...act, verb: ofMethod, things: counted([...act.things, ...thingsIn(own.flat())]) };
  }
  const found = isEnd && !isOne ? counted(thingsOf(before, own.flat())) : [];
  const isMany = before.some((parts) => namesMany(parts.flat()) && parts.flat().length === 1);
  const isCollection =
    isDelete && isDocumented && at === literals.length - 1 && own.length > 0 && isPlural(own.flat().at(-1)!);
  return { verb: ofMethod, things: found, isMany, name, isImplicit: ofMethod.kind === 'change', isCollection };
}

const isPlural = (word: string): boolean => singular(word) !== word;

/** The things that the end of a path names. */
function thingsOf(before: readonly string[][][], own: readonly string[]): FoundThing[] {
  // `/webhooks/event/settings` is about webhooks.
  const isVague = own.length > 0 && isAbout(own.at(-1)!);
  const near = before.filter((parts) => !namesMany(parts.flat()) || parts.flat().length > 1);
  const parents = near.slice(isVague ? -3 : -1).flat(2);
  const together = thingsIn([...parents, ...own]);
  const alone = thingsIn(own);
  if (isVague) return together;
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

/** Whether the last segment is a verb that reads: `/search`, `/users/lookupByEmail`. */
export function readsAtEnd(path: PathWords): boolean {
  const last = path.literals.at(-1);
  if (!last || last.length === 0) return false;
  const act = actInName(last, '');
  // `/notifications/read` marks them as read.
  const isMark =
    act?.verb.text === 'read' &&
    path.literals.some((parts) => parts?.flat().some((word) => READ_BY_PEOPLE.has(singular(word))));
  return act?.verb.kind === 'read' && !isMark && !actsSomewhere({ ...path, literals: path.literals.slice(0, -1) });
}

const READ_BY_PEOPLE = tableOf('notification message thread conversation inbox mail email chat');

const PROTOCOLS = new Set(
  'graphql gql rpc jsonrpc json-rpc mcp batch batches bulk web3 call kw dataset composite xmlrpc'.split(' '),
);
/** Whether a path is that of a protocol, which says in the body what a request does: `/graphql`, `/$batch`. */
export const endsAtProtocol = ({ literals }: PathWords): boolean => {
  const last = literals.at(-1);
  return last !== undefined && last !== null && last.length > 0 && last.flat().every((word) => PROTOCOLS.has(word));
};

/** Whether a path has no words at all, as that of many JSON-RPC services: the base URL itself, or a key. */
export const isWordless = ({ literals, isDocumented }: PathWords): boolean =>
  !isDocumented && literals.every((parts) => parts === null || parts.length === 0);

const SQL_PLACES = new Set('sql query queries statement statements'.split(' '));
export const endsWithSql = ({ literals }: PathWords): boolean =>
  (literals.findLast((parts) => parts !== null && parts.length > 0) ?? []).flat().some((word) => SQL_PLACES.has(word));

/** Whether nothing tells what a POST to a path would do: its last word is neither a known thing nor a plural. */
export function isUnknownPlace({ literals }: PathWords): boolean {
  const words = literals
    .filter((parts) => parts !== null && parts.length > 0)
    .slice(-2)
    .flat(2) as string[];
  return (
    thingsIn(words).length === 0 && !words.some((word) => word.length > 3 && word.endsWith('s') && !word.endsWith('ss'))
  );
}
