import type { JsonValue } from '../request-reading/request-content.js';
import { actInName, type Act } from './act.js';
import type { Entry } from './field-entries.js';
import { NAMES_ACT } from './field-words.js';
import { tableOf, thingsIn, verbAt, wordsOf } from './names.js';
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

function actInValue({ name, value, written, isQuery, beside }: Entry, isCommand: boolean): Act | null {
  if (!(NAMES_ACT.has(name) || (isCommand && name === 'type')) || typeof value !== 'string' || value.length > VALUE_MAX)
    return null;
  if (DISPATCHING.has(wordsOf(value).join('-'))) return null;
  const act = actInName(
    value.split(/[./:]/).map(wordsOf),
    `the ${isQuery ? 'parameter' : 'field'} "${written.slice(0, 60)}"`,
  );
  if (act === null || !ACTING.has(act.verb.kind)) return null;
  // `{"operation": "delete", "Invoice": {…}}`
  const things =
    act.things.length > 0 ? act.things : beside.slice(0, BESIDE_MAX).flatMap((other) => thingsIn(wordsOf(other)));
  return { ...act, things, isRepeated: true };
}

/** A field whose name is an act, and whose value is what it acts on. */
function actInKey({ name, value, written, isQuery }: Entry): Act | null {
  const words = name.split('-');
  const verb = verbAt(words, 0, false);
  if ((verb?.kind !== 'delete' && verb?.kind !== 'bulk') || !isTarget(value)) return null;
  const label = `the ${isQuery ? 'parameter' : 'field'} "${written.slice(0, 60)}"`;
  return { verb, things: thingsIn(words.slice(verb.length)), isMany: false, name: label, isRepeated: true };
}

const isTarget = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** `update` or `mark` in a field says nothing that the operation does not. */
const ACTING = new Set(['delete', 'bulk', 'money', 'permissions', 'credentials', 'publishing', 'code']);
