import type { JsonValue } from '../request-reading/request-content.js';
import { actInName, type Act } from './act.js';
import type { Entry } from './entry.js';
import { NAMES_ACT } from './field-words.js';
import { hasContent } from './fields.js';
import { tableOf, thingsIn, verbAt, wordsOf, type FoundThing } from './names.js';
import { spellingsOf } from './spellings.js';
import { DISPATCHERS } from './words.js';

/** What they call stands in other parameters. */
const DISPATCHING = tableOf(DISPATCHERS);
const VALUE_MAX = 100;
const BESIDE_MAX = 20;

/**
 * The acts that parameters and fields name: `operation=delete`, `{"op": "remove"}`, `{"delete": {…}}`.
 * @param isCommand whether the path ends with `/actions`, so that `type` names the act
 */
export const actsOfFields = (entries: readonly Entry[], rpcMethods: readonly string[], isCommand: boolean): Act[] =>
  entries.flatMap((entry) => {
    // The protocol has said it.
    if (entry.isContent || (entry.depth === 0 && entry.name === 'method' && rpcMethods.includes(entry.value as string)))
      return [];
    return actInValue(entry, isCommand) ?? actInKey(entry) ?? [];
  });

function actInValue({ names, value, written, isQuery, beside }: Entry, isCommand: boolean): Act | null {
  if (typeof value !== 'string' || value.length > VALUE_MAX) return null;
  if (!names.some((name) => NAMES_ACT.has(name) || (isCommand && name === 'type'))) return null;
  const parts = value.split(/[./:]/).map(spellingsOf);
  const label = labelOf(written, isQuery);
  const acts = [0, -1]
    .map((at) => parts.map((spellings) => spellings.at(at)!))
    .filter((words) => !DISPATCHING.has(words.flat().join('-')))
    .flatMap((words) => actInName(words, label) ?? []);
  const act = acts.find(({ verb }) => ACTING.has(verb.kind));
  if (act === undefined) return null;
  if (act.things.length > 0) return { ...act, isRepeated: true };
  const others = thingsBeside(beside).map((thing) => ({ ...act, things: [thing] }));
  return { ...act, isRepeated: true, isBare: true, others: [...(act.others ?? []), ...others] };
}

/** `{"operation": "delete", "Invoice": {…}}`. A field such as `metadata` may mean nothing, so each counts by itself. */
const thingsBeside = (names: readonly string[]): FoundThing[] =>
  names
    .slice(0, BESIDE_MAX)
    .flatMap((name) => thingsIn(wordsOf(name)))
    .filter(({ kinds }) => !kinds.includes('everyday'));

/** A field whose name is an act, and whose value is what it acts on. */
function actInKey({ names, value, written, isQuery }: Entry): Act | null {
  if (!isTarget(value)) return null;
  for (const words of names.map((name) => name.split('-'))) {
    const verb = verbAt(words, 0, false);
    if (verb?.kind !== 'delete' && verb?.kind !== 'bulk') continue;
    const things = thingsIn(words.slice(verb.length));
    return { verb, things, isMany: false, name: labelOf(written, isQuery), isRepeated: true };
  }
  return null;
}

const labelOf = (written: string, isQuery: boolean): string =>
  `the ${isQuery ? 'parameter' : 'field'} "${written.slice(0, 60)}"`;

const isTarget = (value: JsonValue): boolean => typeof value === 'object' && value !== null && hasContent(value);

/** `update` or `mark` in a field says nothing that the operation does not. */
const ACTING = new Set(['delete', 'bulk', 'money', 'permissions', 'credentials', 'publishing', 'code']);
