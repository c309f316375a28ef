import {
  FIELD_RULES,
  FILE_NAMES,
  NAMES_ACT,
  PERSONAL,
  SELECTORS,
  SQL_NAMES,
  STATE_NAMES,
  TRASHES,
  WAY_NAMES,
} from './field-words.js';
import { remembered } from './remembered.js';
import { nameFinder, spellingsOf } from './spellings.js';

const knownName = nameFinder([
  ...FIELD_RULES.map(({ names }) => names),
  NAMES_ACT,
  STATE_NAMES,
  SELECTORS,
  PERSONAL,
  WAY_NAMES,
  FILE_NAMES,
  TRASHES,
  SQL_NAMES,
]);

/** Names in a name. */
const PARTS_MAX = 12;
const NAME_MAX = 500;
/** What separates the names in one: `$set: {"roles.0": …}`, and a NUL, which ends a name for some servers. */
const SEPARATORS = /[[\]./\0]+/;

/**
 * The names by which some server may know a field, each as words that are joined by hyphens. The first one is as it is
 * written. The others only add effects.
 */
export const namesOf = remembered(findNames);

function findNames(written: string): readonly string[] {
  const parts = SEPARATORS.test(written) ? partsOf(written) : [];
  const [first, ...others] = [written, ...parts].flatMap((text) => {
    const spellings = spellingsOf(text);
    const known = knownName(spellings.at(-1)!);
    return [...spellings.map((words) => words.join('-')), ...(known === undefined ? [] : [known])];
  });
  return others.length === 0 ? [first] : [...new Set([first, ...others])];
}

/** The names in a name such as `items[0][price]` and `LaunchPermission.Add.1.Group`. */
export const partsOf = (written: string): string[] =>
  written
    .slice(0, NAME_MAX)
    .split(SEPARATORS)
    .filter((part) => /[^\d\s]/.test(part))
    .slice(0, PARTS_MAX);
