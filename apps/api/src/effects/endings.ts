import type { Act } from './act.js';
import { CODE_FILE, ENDED, NAMES_ACT, STATE_NAMES, TRASHES } from './field-words.js';
import type { Entry } from './entry.js';
import { isOn, type FieldEffect } from './fields.js';
import { spellingsOf } from './spellings.js';
import type { EffectSubject } from './subject.js';

/** What a write does to a thing that holds others, and to a file that decides what runs. */
export function endings(
  { paths, methods }: EffectSubject,
  entries: readonly Entry[],
  acts: readonly Act[],
): FieldEffect[] {
  const found: FieldEffect[] = [];
  if (paths.some((path) => CODE_FILE.test(path.slice(-PATH_READ_MAX))))
    found.push({ effect: 'code', reason: 'the path names a file that decides what runs' });
  if (paths.some((path) => TAKES_OUT.test(path)) && methods.includes('POST'))
    found.push({ effect: 'delete', reason: 'the path takes messages out of a queue' });
  if (paths.some((path) => ENDS.test(path)) && methods.some((method) => method !== 'DELETE'))
    found.push({ effect: 'delete', reason: 'the path names the end of something' });
  if (paths.some((path) => LIVE_CONFIG.test(path)))
    found.push({ effect: 'code', reason: 'the path names settings of what runs for everybody' });
  const holder = acts.map(({ things }) => things.at(-1)).find((thing) => thing?.isContainer);
  if (holder === undefined) return found;
  const moved = entries.find(
    ({ names, value }) =>
      typeof value === 'string' &&
      names.some((name) => NAMES_ACT.has(name)) &&
      /^(?:move|rename|replace|swap|overwrite)$/i.test(value),
  );
  const ended = entries.find(
    ({ names, value }) =>
      typeof value === 'string' &&
      names.some((name) => STATE_NAMES.has(name)) &&
      spellingsOf(value).some((words) => ENDED.has(words.join('-'))),
  );
  const trashed = entries.find(({ names, value }) => names.some((name) => TRASHES.has(name)) && isOn(value));
  const emptied = methods.includes('PATCH')
    ? entries.find(({ value, depth, top }) => value === null && depth > 0 && SCHEMAS.has(top))
    : undefined;
  for (const entry of [ended, trashed, emptied, moved]) {
    if (entry === undefined) continue;
    const reason = `"${entry.written.slice(0, 60)}" takes away what the ${holder.text.replaceAll('-', ' ')} holds`;
    found.push({ effect: 'delete', reason }, { effect: 'bulk', reason });
  }
  return found;
}

const LIVE_CONFIG =
  /\/(?:kv|configs?|configurations?|settings|parameters|params|properties|feature-?flags)\/(?:[^/]+\/){0,3}(?:prod|production|live)(?:\/|$)/i;
const TAKES_OUT =
  /\/(?:queues?|topics?|streams?|subscriptions?|jobs)\/(?:[^/]+\/){1,4}(?:get|receive|consume|pop|dequeue|pull|drain|take|fetch|reserve|ack|acknowledge)\/?$/i;
const ENDS =
  /\/(?:cancell?ations?|terminations?|deletions?|deactivations?|removals?|closures?|withdrawals?|erasures?)\/?$/i;
const PATH_READ_MAX = 300;
/** To set a part of them to null removes it from everything that has it. */
const SCHEMAS = new Set(['properties', 'fields', 'columns', 'attributes', 'schema']);

/** What a GET returns, as the end of its path says. */
export function effectsOfPlace({ paths }: EffectSubject): FieldEffect[] {
  const found: FieldEffect[] = [];
  if (paths.some((path) => DUMPS.test(path)))
    found.push({ effect: 'bulk', reason: 'the path names all that there is' });
  if (paths.some((path) => SECRET_PLACES.test(path)))
    found.push({ effect: 'credentials', reason: 'the path names a secret' });
  return found;
}
/** `/snapshot` and `/api/definitions` have all. Behind a value, they are those of one thing. */
const DUMPS =
  /^(?:\/(?:api|v\d+|rest|admin|[a-z]{2,12})){0,3}\/(?:snapshot|definitions|dump|backup|export|takeout)\/?$/i;
/** What is called so is one secret, and no list of what is known about secrets. */
const SECRET_PLACES =
  /\/(?:(?:[\w-]+[_-])?(?:token|secret|password|passphrase|credentials?|kubeconfig|private[_-]?key)|\.env(?:\.[\w-]+)?|id_rsa)(?:\.json)?\/?$/i;
