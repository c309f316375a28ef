import { actInName, actInSentence, isSmallAct, joinedAct, type Act } from './act.js';
import { clausesOf, clausesOfSentence } from './clauses.js';
import type { DescribedOperation } from './described-operation.js';
import { dryRunsOf, type DryRuns } from './dry-run.js';
import { namesMany, tableOf, thingsIn, verbAt, wordsOf } from './names.js';
import { actInPath, actsSomewhere, readsAtEnd, SAFE } from './path-act.js';
import { endsAtProtocol } from './path-places.js';
import { templateWords } from './path-words.js';

/** What depends only on the documented operation. The caller may keep it. */
export interface OperationEffects {
  acts: readonly Act[];
  /** Whether its summary or id, or the end of its path, says that it reads, and nothing says that it acts. */
  readsByName: boolean;
  dryRuns: DryRuns;
  /** The protocol that its documented fields are those of. Its body says what a request does. */
  door: 'graphql' | 'rpc' | null;
  /** Whether it is a small everyday write, so that a bare verb in a field is one too. */
  isSmall: boolean;
  /** Whether it lists or answers a question, so that the verbs in its parameters are what is asked for. */
  isQuestion: boolean;
}

const METHOD_WORDS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options']);

export function operationEffects(operation: DescribedOperation): OperationEffects {
  const { id, method, path, summary, mayLower } = operation;
  const template = templateWords(path);
  const name = `the operation "${(summary || id || `${method} ${path}`).slice(0, 100)}"`;
  const sentence = actInSummary(wordsOf(summary), method, name);
  const named = id === null ? null : actInId(id, path.toLowerCase(), name);
  const inPath = actInPath(method, template, name);
  const isNamedReading = [sentence, named].some((act) => act?.verb.kind === 'read');
  // A GET that is called a reading one everywhere is one, even if its path ends with `/apply`.
  const isCalledReading =
    mayLower &&
    inPath.verb.kind !== 'read' &&
    method === 'GET' &&
    named?.verb.kind === 'read' &&
    sentence?.verb.kind !== 'delete';
  const isExport =
    inPath.verb.kind === 'bulk' || inPath.isImplicit || path.endsWith('}') || !/export/i.test(path.split('/').at(-1)!);
  // What a batch does, its parts say.
  const isProtocol = endsAtProtocol(template);
  const acts = [isCalledReading ? null : inPath, isProtocol ? null : named, isProtocol ? null : sentence]
    .filter((act) => act !== null)
    .filter(({ verb }) => isExport || verb.kind !== 'bulk');
  const saysActing = acts.some(({ verb, isImplicit }) => verb.kind !== 'read' && verb.kind !== 'change' && !isImplicit);
  const changes = acts.some(({ verb, isImplicit }) => verb.kind === 'change' && !isImplicit);
  const endsReading = readsAtEnd(template);
  const readsByName =
    !saysActing && !actsSomewhere(template) && (endsReading || (mayLower && isNamedReading && !changes));
  const isQuestion =
    (method === 'GET' || endsReading) &&
    mayLower &&
    readsByName &&
    sentence?.verb.kind === 'read' &&
    QUESTIONS.has(sentence.verb.text);
  return {
    acts,
    readsByName,
    dryRuns: dryRunsOf(operation),
    door: doorOf(operation),
    isQuestion,
    isSmall: mayLower && isSmallWrite(acts),
  };
}

/** Whether something says that it is a small everyday write, and nothing that it is more. */
const isSmallWrite = (acts: readonly Act[]): boolean =>
  acts.some(isSmallAct) &&
  acts.every(
    (act) => isSmallAct(act) || (act.verb.kind === 'change' && act.things.every(({ kinds }) => kinds.length === 0)),
  );

const QUESTIONS = tableOf(
  'list search find query check validate test count browse filter lookup returns whether is has can ask-whether',
);

function doorOf({ method, fields }: DescribedOperation): OperationEffects['door'] {
  const has = (name: string): boolean => fields.includes(name);
  if (method !== 'POST') return null;
  if (has('query') && (has('variables') || has('operationName'))) return 'graphql';
  return has('jsonrpc') && has('method') ? 'rpc' : null;
}

function actInSummary(words: readonly string[], method: string, name: string): Act | null {
  const act = actInSentence(words, name);
  const others = act === null ? [] : clausesOfSentence(words, SAFE.has(method));
  return others.length === 0 ? act : joinedAct(act, true, others, name);
}

/** Verbs that surely are verbs, wherever they stand in an id: `user-api-tokens-verify-token`. */
const PLAIN_VERBS = tableOf('get list create update delete remove add set replace search find edit modify verify');

/** An id begins with the method in many generated documents: `PostCustomersSearch`. */
function actInId(id: string, path: string, name: string): Act | null {
  const separator = /_/.test(id) && /[A-Z]/.test(id) ? /[./:_]/ : /[./:]/;
  const parts = id
    .split(separator)
    .map(wordsOf)
    .filter((words) => words.length > 0);
  const own = parts.at(-1);
  if (own === undefined) return null;
  const isGenerated = METHOD_WORDS.has(own[0]) && own.length > 1;
  if (isGenerated && own.slice(1).every((word) => path.includes(word))) return null;
  const words = isGenerated && own[0] !== 'get' && own[0] !== 'delete' ? own.slice(1) : own;
  const [first, ...others] = clausesOf(words);
  const isOwnVerb = isGenerated && own[0] !== 'get' && own[0] !== 'delete';
  const plain = first.findIndex((word) => PLAIN_VERBS.has(word));
  const isNounFirst = plain > 0 && (verbAt(first, 0, false) === null || thingsIn(first.slice(0, 1)).length > 0);
  const act =
    isOwnVerb && plain === -1
      ? actAtEnd(first, name)
      : isNounFirst
        ? {
            verb: verbAt(first, plain, false)!,
            things: thingsIn(first.slice(0, plain).concat(first.slice(plain + 1))),
            isMany: namesMany(first),
            name,
          }
        : actInName([...parts.slice(0, -1), first], name);
  return others.length === 0 ? act : joinedAct(act, first.length > 1, others, name);
}

/** Behind the method, an id has the path, and maybe a verb at its end: `PostDisputesDisputeClose`. */
function actAtEnd(words: readonly string[], name: string): Act | null {
  const verb = words.length > 1 ? verbAt(words, words.length - 1, false) : null;
  return verb && { verb, things: thingsIn(words.slice(0, -1)), isMany: false, name };
}
