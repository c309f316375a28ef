import { effectsOf, type Act } from './act.js';
import { bulkOf, isLabelOnly } from './amounts.js';
import { effectsOfPlace, endings } from './endings.js';
import { classifyParts, type PartsEffects, type Room } from './batch.js';
import { actsOfFields } from './field-acts.js';
import { isDryRun } from './dry-run.js';
import type { Entry } from './entry.js';
import { addJson, entriesOf } from './field-entries.js';
import { effectsOfFields, effectsOfReading } from './fields.js';
import { Findings, SAYS, type Classified } from './findings.js';
import type { OperationEffects } from './operation-effects.js';
import type { ShortSteps } from '../platform/short-steps.js';
import { actInPath, actsInParameters, actsInside, SAFE } from './path-act.js';
import { endsAtProtocol, isUnknownPlace } from './path-places.js';
import { bareNames, pathWords, templateWords } from './path-words.js';
import { otherPlaces, pathSpellings } from './path-spellings.js';
import { awsActs, graphqlActs, rpcActs, type ProtocolActs } from './protocol-acts.js';
import { isCalledReading, isReading, isUnread, saysAll } from './reading.js';
import { isPlaceOfSql, sqlOf } from './sql-texts.js';
import type { EffectSubject } from './subject.js';
import { xmlCallActs } from './xml-calls.js';

/**
 * What a request does, in words, each with its reason: exactly one of `read` and `write`, and others.
 * @param known what `operationEffects` returned for the operation
 * @param others the same for others for which some server may take the request. They only add effects.
 */
export const classifySubject = (
  subject: EffectSubject,
  known: OperationEffects | null,
  others: readonly OperationEffects[] = [],
): ShortSteps<Classified> => classifyAt(subject, { known, others }, { depth: 0, room: { parts: PARTS_IN_ALL_MAX } });

/** The batches that a part is in, and what is left of what may be read of all of them. */
interface BatchesAround {
  depth: number;
  room: Room;
}

interface Described {
  known: OperationEffects | null;
  others: readonly OperationEffects[];
}

function* classifyAt(
  subject: EffectSubject,
  { known, others }: Described,
  around: BatchesAround,
): ShortSteps<Classified> {
  const isDoor = known !== null && isDoorOf(known, subject);
  const isSure = others.length === 0;
  const operation = known && toOperation(known, isDoor, isSure);
  const findings = new Findings();
  const protocols = [graphqlActs(subject), rpcActs(subject), awsActs(subject)].filter((found) => found !== null);
  yield;
  const { list: entries, isCut } = yield* allEntries(subject, protocols);
  yield;
  if (operation && !isCut && subject.rpc === null && isDryRun(operation.dryRuns, subject, entries)) {
    findings.add('read', 'a documented dry run changes nothing');
    return findings.classified;
  }
  const acts = [
    ...requestActs(subject, operation, true),
    ...others.flatMap((other) => (isDoorOf(other, subject) ? [] : other.acts)),
    ...protocols.flatMap((found) => found.acts),
    ...xmlCallActs(subject.content),
    ...actsOfFields(
      operation?.isQuestion === true ? entries.filter((entry) => !isFilter(subject, entry)) : entries,
      typeof subject.rpc === 'object' ? (subject.rpc?.methods ?? []) : [],
      isCommandPlace(subject),
    ).filter(({ isBare }) => !(isBare && operation?.isSmall)),
  ];
  yield;
  const sql = sqlOf(
    subject,
    entries,
    protocols.flatMap(({ statements }) => statements),
  );
  const ofPart = (part: EffectSubject): ShortSteps<Classified> =>
    classifyAt(part, { known: null, others: [] }, { ...around, depth: around.depth + 1 });
  const parts = yield* classifyParts(subject, around.room, around.depth < BATCH_DEPTH_MAX ? ofPart : null);
  findings.isWhole = !isCut && !protocols.some((found) => found.isCut) && sql?.isCut !== true && parts?.isCut !== true;
  yield;
  const isRead =
    isReading({ subject, operation, protocols, acts, sql, parts, isDoor }) &&
    // A statement may stand in the rest.
    !(isCut && sql !== null) &&
    (subject.methods.every((method) => SAFE.has(method)) ||
      others.every((other) => other.readsByName || isDoorOf(other, subject)));
  const isLabel = isSure && isLabelOnly(subject, entries);
  for (const act of acts) {
    const judged =
      isRead && (act.isImplicit || act.verb.kind === 'change' || act.verb.kind === 'code')
        ? { ...act, verb: READ, others: [] }
        : act;
    // The statement says it.
    if (act.runsSql && sql?.isDocumented === true && (act.verb.kind === 'code' || act.verb.kind === 'change')) continue;
    if (isLabel && judged.verb.kind === 'change') continue;
    for (const effect of effectsOf(judged)) findings.add(effect, `${act.name} ${SAYS[effect]}`);
  }
  for (const effect of sql?.effects ?? []) findings.add(effect, `the SQL ${SAYS[effect]}`);
  for (const { effect, reason } of parts?.effects ?? []) findings.add(effect, reason);
  findings.add(isRead ? 'read' : 'write', acts[0] ? `${acts[0].name} ${SAYS[isRead ? 'read' : 'write']}` : SAYS.write);
  // What the protocol reads, it reads whatever stands beside it.
  if (isRead || isCalledReading(subject, operation) || protocols.some((found) => found.isRead)) {
    for (const { effect, reason } of effectsOfReading(entries)) findings.add(effect, reason);
  }
  if (subject.methods.some((method) => SAFE.has(method)))
    for (const { effect, reason } of effectsOfPlace(subject)) findings.add(effect, reason);
  if (isRead) return findings.classified;
  const isSqlPlace = isPlaceOfSql(subject);
  // It names who runs the statement.
  const counted = isSqlPlace ? entries.filter(({ name, depth }) => name !== 'role' || depth > 0) : entries;
  for (const { effect, reason } of yield* effectsOfFields(counted)) findings.add(effect, reason);
  yield;
  for (const { effect, reason } of endings(subject, entries, acts)) findings.add(effect, reason);
  const many = bulkOf(subject, entries, findings.has('delete'), acts);
  if (many !== null) findings.add('bulk', many);
  if (isCut) findings.add('unclear', 'the body has more than was read');
  const posted = requestActs(
    {
      ...subject,
      query: NO_QUERY,
      methods: subject.methods.filter((method) => method === 'POST'),
      paths: subject.paths.slice(0, 1),
    },
    operation,
    false,
  );
  const explanations = { acts: posted, protocols, parts, isSql: isSqlPlace && sql?.isDocumented === true, isDoor };
  const unclear = whyUnclear(subject, explanations);
  if (unclear !== null) findings.add('unclear', unclear);
  return findings.classified;
}

function toOperation(known: OperationEffects, isDoor: boolean, isSure: boolean): OperationEffects {
  // What a request to the endpoint of a protocol does, its body says.
  if (isDoor) return { ...known, acts: [], readsByName: false };
  return isSure ? known : { ...known, dryRuns: { query: [], fields: [] }, isSmall: false, isQuestion: false };
}

/** Whether the documented operation is the endpoint of the protocol that the body speaks. */
const isDoorOf = ({ door }: OperationEffects, { graphql, rpc }: EffectSubject): boolean =>
  (door === 'graphql' && graphql !== null && !graphql.isUndecidable) ||
  (door === 'rpc' && rpc !== null && rpc !== 'undecidable');

/** `GET /log?action=delete` looks for deletions, if the operation documents the parameter. */
const isFilter = ({ operation }: EffectSubject, { isQuery, written }: Entry): boolean =>
  (isQuery ? operation!.queryParameters : operation!.method === 'POST' ? operation!.fields : []).includes(written);

const isCommandPlace = ({ paths }: EffectSubject): boolean =>
  paths.some((path) => /\/(?:actions|commands|operations)\/?$/.test(path));

/** A parameter without a value may mean nothing, so it explains nothing. */
const NO_QUERY = new URLSearchParams();
/** Batches in batches in batches are not read. */
const BATCH_DEPTH_MAX = 2;
/** Each costs about a millisecond. */
const PARTS_IN_ALL_MAX = 400;
const READ = { kind: 'read', text: 'get', length: 1 } as const;

function* allEntries(
  subject: EffectSubject,
  protocols: readonly ProtocolActs[],
): ShortSteps<{ list: Entry[]; isCut: boolean }> {
  const { list, isCut } = yield* entriesOf(subject);
  const all = [...list];
  const more = yield* addJson(
    all,
    protocols.flatMap(({ parameters }) => parameters),
    PARAMETERS_DEPTH,
  );
  return { list: all, isCut: isCut || more };
}
/** They are no fields at the top of the body. */
const PARAMETERS_DEPTH = 1;

/** What method, path and operation say. Lenient readings of the path add acts, and explain nothing. */
function requestActs(
  { methods, paths, query, operation: described }: EffectSubject,
  operation: OperationEffects | null,
  isLenient: boolean,
): Act[] {
  // The operation speaks for its own method, and not for another one that the request asks to be taken for.
  const others = methods.filter((method) => method !== described?.method);
  const spelled = isLenient ? [...new Set([...paths, ...paths.flatMap(pathSpellings)])] : paths;
  // `?policy` may name what it concerns, or mean nothing.
  const named = paths.flatMap((path) => bareNames(query).map((name) => `${path}/${name}`));
  const elsewhere = isLenient && described !== null ? otherPlaces(paths) : [];
  return [
    ...(operation?.acts ?? []),
    ...(described && operation?.isQuestion !== true
      ? spelled.flatMap((path) => actsInParameters(described.path, path))
      : []),
    ...actsAt(others, paths),
    ...actsAt(others, named),
    ...actsAt(others, spelled.slice(paths.length)),
    ...actsAt(methods, elsewhere),
  ];
}

const actsAt = (methods: readonly string[], paths: readonly string[]): Act[] =>
  methods.flatMap((method) =>
    paths.flatMap((path) => {
      const name = `${method} ${path.slice(0, 100)}`;
      const words = pathWords(path);
      return [actInPath(method, words, name), ...(SAFE.has(method) ? [] : actsInside(words, name))];
    }),
  );

/** What a request has that says what it changes. Parameters and fields that may mean nothing do not count. */
interface Explanations {
  acts: readonly Act[];
  protocols: readonly ProtocolActs[];
  parts: PartsEffects | null;
  isSql: boolean;
  isDoor: boolean;
}

/** Whether servers may run another operation: its fragment is not sent, or the query has a name of its template twice. */
function isOneOfSeveral(template: string, query: URLSearchParams): boolean {
  const [, stated, fragment] = /^[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(template)!;
  return (
    fragment !== undefined || [...new URLSearchParams(stated).keys()].some((name) => query.getAll(name).length > 1)
  );
}

/** Why nobody can tell what a write changes. Null: something says it. */
function whyUnclear(subject: EffectSubject, { acts, protocols, parts, isSql, isDoor }: Explanations): string | null {
  const { methods, paths, query, content, operation } = subject;
  if (content.kind === 'unreadable') return `the body cannot be read: ${content.reason}`;
  if (isUnread(subject)) return 'the gateway does not read the format of the body';
  const unclear = protocols.find((found) => found.unclear !== null)?.unclear;
  if (unclear != null) return unclear;
  if (protocols.length === 0 && operation !== null && isOneOfSeveral(operation.path, query))
    return 'the query or the fragment names one of several operations';
  if (!methods.includes('POST') || isSql || acts.some(({ verb, isImplicit }) => !isImplicit && verb.kind !== 'read'))
    return null;
  if (protocols.length > 0 && saysAll(subject, protocols, isDoor)) return null;
  const words = operation === null ? paths.map((path) => pathWords(path)) : [templateWords(operation.path)];
  if (words.every(endsAtProtocol) && (parts?.isWhole === true || content.kind === 'lines')) return null;
  const isPlace = operation === null && words.every((each) => !isUnknownPlace(each) && !endsAtProtocol(each));
  return isPlace ? null : 'neither path nor operation says what it changes';
}
