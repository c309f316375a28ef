import type { Act } from './act.js';
import type { PartsEffects } from './batch.js';
import type { OperationEffects } from './operation-effects.js';
import { actsSomewhere, readsAtEnd, SAFE } from './path-act.js';
import { endsAtProtocol, goesThroughDoor, isWordless } from './path-places.js';
import { pathSpellings } from './path-spellings.js';
import { pathWords, templateWords } from './path-words.js';
import type { ProtocolActs } from './protocol-acts.js';
import { isPlaceOfSql } from './sql-texts.js';
import type { SqlEffects } from './sql.js';
import type { EffectSubject } from './subject.js';

interface Facts {
  subject: EffectSubject;
  operation: OperationEffects | null;
  protocols: readonly ProtocolActs[];
  acts: readonly Act[];
  sql: SqlEffects | null;
  parts: PartsEffects | null;
  /** Whether the operation is documented as the endpoint of the protocol. */
  isDoor: boolean;
}

/** Verbs with which even a GET acts. Other verbs of this kind often stand for things: `/record`, `/index`. */
const SURELY_CHANGES = new Set(
  'create add insert update set edit modify start stop cancel confirm accept reject activate toggle subscribe unsubscribe register submit reset'.split(
    ' ',
  ),
);

/**
 * Whether a request changes nothing upstream. Only structure makes a request with another method than GET, HEAD and
 * OPTIONS a reading one (docs/reference/effects.md#lower).
 */
export function isReading({ subject, operation, protocols, acts, sql, parts, isDoor }: Facts): boolean {
  const { methods, paths } = subject;
  if (sql?.isRead === false || parts?.isRead === false || protocols.some(({ isRead }) => !isRead)) return false;
  if (sql?.isDocumented !== true && protocols.some(({ runsSql }) => runsSql)) return false;
  const isSafe = methods.every((method) => SAFE.has(method));
  if (isSafe) return !acts.some((act) => changesByGet(act));
  if (methods.length > 1 || methods[0] !== 'POST' || isUnread(subject)) return false;
  const words = operation === null ? paths.map((path) => pathWords(path)) : [templateWords(subject.operation!.path)];
  const isSqlPlace = sql?.isDocumented === true && isPlaceOfSql(subject);
  const others = acts.filter(({ verb, isImplicit }) => verb.kind !== 'read' && !isImplicit);
  // The end of a path may say that `createSchedulePreview` reads.
  const isAllowed = ({ verb, runsSql }: Act): boolean =>
    (runsSql === true && sql?.isDocumented === true) ||
    (verb.kind === 'change' ? isSqlPlace || operation?.readsByName === true : verb.kind === 'code' && isSqlPlace);
  if (!others.every(isAllowed)) return false;
  if (isSqlPlace || operation?.readsByName === true) return true;
  const spelled = operation === null ? paths.flatMap(pathSpellings).map((path) => pathWords(path)) : [];
  if ([...words, ...spelled].some(actsSomewhere)) return false;
  if (operation === null && words.every(readsAtEnd) && !paths.some(goesThroughDoor)) return true;
  if (protocols.length > 0) return saysAll(subject, protocols, isDoor);
  return parts?.isWhole === true && words.every(endsAtProtocol);
}

/** Formats that the gateway does not read. */
const UNREAD_TYPE = /yaml|cbor|smile|msgpack|messagepack|protobuf|grpc|avro|bson/i;
/** Whether a body says what it says in a way that the gateway does not read. */
export const isUnread = ({ content, headers }: EffectSubject): boolean =>
  content.kind === 'unreadable' ||
  (content.kind === 'text' &&
    Object.entries(headers).some(([name, value]) => name.toLowerCase() === 'content-type' && UNREAD_TYPE.test(value)));

/** Whether method and path say nothing, and the protocols say all: only their servers take such a request. */
export function saysAll(
  { paths, operation, content, graphql }: EffectSubject,
  protocols: readonly ProtocolActs[],
  isDoor: boolean,
): boolean {
  const words = operation === null ? paths.map((path) => pathWords(path)) : [templateWords(operation.path)];
  // Without a body, `?query={me}` may stand at any place.
  const isAdded = graphql !== null && content.kind === 'none';
  return (
    protocols.every(({ isPure }) => isPure) &&
    (isDoor || words.every((each) => endsAtProtocol(each) || (isWordless(each) && !isAdded)))
  );
}

/** An export changes nothing. */
const changesByGet = ({ verb, runsSql, others = [] }: Act): boolean =>
  others.some(changesByGet) ||
  (!runsSql &&
    verb.kind !== 'read' &&
    verb.kind !== 'bulk' &&
    (verb.kind !== 'change' || SURELY_CHANGES.has(verb.text)));

/** Whether method, operation or path say that a request reads, even if something else says that it acts. */
export function isCalledReading({ methods, paths }: EffectSubject, operation: OperationEffects | null): boolean {
  if (methods.some((method) => SAFE.has(method))) return true;
  return operation === null ? paths.map((path) => pathWords(path)).every(readsAtEnd) : operation.readsByName;
}
