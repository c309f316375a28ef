import type { Effect } from '#contracts/effects';
import type { JsonValue } from '../request-reading/request-content.js';
import {
  AUDIENCE_NAME,
  BROADCAST,
  PAGE_SCRIPT,
  SECRET_FILE,
  SENDS_ON,
  SOURCE,
  SURELY_PUBLIC,
  TELLS,
  FIELD_RULES,
  MESSAGE_WAYS,
  PERSONAL,
  PROTECTIONS,
  STATE_NAMES,
  STATE_RULES,
  SUFFIXES,
  CODE_FILE,
  FILE_NAMES,
  SWITCHES,
  WAY_NAMES,
  WEAKENS,
  type ValueKind,
} from './field-words.js';
import type { Entry } from './entry.js';
import type { ShortSteps } from '../platform/short-steps.js';
import { thingsIn, wordsOf } from './names.js';
import { remembered } from './remembered.js';
import { spellingsOf } from './spellings.js';

/** An effect, and the field that says so. */
export interface FieldEffect {
  effect: Effect;
  reason: string;
}

/** What the parameters and fields of a write say by their names and values. */
export function* effectsOfFields(entries: readonly Entry[]): ShortSteps<FieldEffect[]> {
  const found: FieldEffect[] = [];
  for (const [index, entry] of entries.entries()) {
    if (!entry.isContent) found.push(...entry.names.flatMap((name) => effectsOfField(name, entry)));
    if (index % ENTRIES_IN_STEP === 0) yield;
  }
  const everybody = entries.find(
    ({ value }) => typeof value === 'string' && BROADCAST.test(value.slice(0, TEXT_READ_MAX)),
  );
  if (everybody) found.push({ effect: 'publishing', reason: `the text in "${everybody.written}" mentions everybody` });
  const records = recordsIn(entries);
  if (records !== null) found.push({ effect: 'personalData', reason: records }, { effect: 'bulk', reason: records });
  const script = entries.find(
    ({ value }) => typeof value === 'string' && PAGE_SCRIPT.test(value.slice(0, TEXT_READ_MAX)),
  );
  if (script) found.push({ effect: 'code', reason: `the text in "${script.written.slice(0, 60)}" has a script` });
  const personal = new Set(
    entries.filter(({ value }) => isFilled(value)).flatMap(({ names }) => names.filter((name) => PERSONAL.has(name))),
  );
  if (personal.size > 1)
    found.push({
      effect: 'personalData',
      reason: `the fields ${[...personal].slice(0, 3).join(', ')} describe a person`,
    });
  return found;
}

/** About half a millisecond. */
const ENTRIES_IN_STEP = 200;
const TEXT_READ_MAX = 10_000;
const NAME_READ_MAX = 300;

/** What the name of a field alone says. */
const readName = remembered((name) => {
  const words = name.split('-');
  return {
    words,
    rules: [
      ...FIELD_RULES.filter(({ names }) => names.has(name)),
      ...SUFFIXES.filter(({ name: pattern }) => pattern.test(name)),
    ],
    isFile: FILE_NAMES.has(name),
    isState: STATE_NAMES.has(name) || AUDIENCE_NAME.test(name),
    isWay: WAY_NAMES.has(name),
    tells: TELLS.test(name),
    weakens: WEAKENS.test(name),
    protects: words.some((word) => PROTECTIONS.has(word)),
    switches: words.length > 1 ? SWITCHES.filter(({ words: some }) => words.some((word) => some.has(word))) : [],
  };
});

function effectsOfField(name: string, { value, written, isQuery, top }: Entry): FieldEffect[] {
  const known = readName(name);
  const found: FieldEffect[] = [];
  const add = (effects: readonly Effect[], says: string): void => {
    const field = `the ${isQuery ? 'parameter' : 'field'} "${written.slice(0, 60)}"`;
    for (const effect of effects) found.push({ effect, reason: `${field} ${says}` });
  };
  for (const { value: kind, effects, says } of known.rules) {
    if (fits(value, kind) && !(isQuery && kind === 'text')) add(effects, says);
  }
  if (known.isFile && typeof value === 'string' && CODE_FILE.test(value.slice(-NAME_READ_MAX)))
    add(['code'], 'names a file that decides what runs');
  if (namesSecretFile({ names: [name], value })) add(['credentials'], 'names a file with secrets');
  if ([value].flat().some((item) => typeof item === 'string' && SURELY_PUBLIC.test(item)))
    add(['permissions', 'publishing'], 'opens it to everybody');
  // A form has the path of a file as the name of a field.
  if (/[./]/.test(written) && CODE_FILE.test(`/${written.slice(-NAME_READ_MAX)}`))
    add(['code'], 'names a file that decides what runs');
  if (typeof value === 'string' && SENDS_ON.test(value.slice(0, NAME_READ_MAX)))
    add(['credentials'], 'sends data to an address from now on');
  if (name === 'code' && typeof value === 'string' && SOURCE.test(value.slice(0, TEXT_READ_MAX)))
    add(['code'], 'decides what runs');
  if (known.tells && (isOn(value) || value === 'externalOnly')) add(['publishing'], 'tells people outside');
  if (known.isState && typeof value === 'string') {
    const states = value === '*' ? ['all'] : spellingsOf(value).map((words) => words.join('-'));
    for (const { values, effects, says } of STATE_RULES) {
      const state = states.find((each) => values.has(each) || values.has(each.replace(/^(public)-.*$/, '$1')));
      if (state !== undefined) add(effects, `${says}: "${state}"`);
    }
  }
  // `required` alone is said of a column or an input, unless it stands below a protection.
  const isGuard =
    name === 'required' ? wordsOf(top).some((word) => word !== name && PROTECTIONS.has(word)) : known.protects;
  if (isGuard && (isOff(value) || value === null)) add(['permissions'], 'switches a protection off');
  if (known.weakens && isOn(value)) add(['permissions'], 'makes a protection weaker');
  if (known.switches.length > 0 && isOn(value)) for (const { effect, says } of known.switches) add([effect], says);
  if (known.isWay && typeof value === 'string' && spellingsOf(value).some((words) => MESSAGE_WAYS.has(words.join('-'))))
    add(['publishing'], 'says that it leaves as a message');
  return found;
}

const ON = /^(?:true|1|yes|on|y|all|enabled|t)$/i;
const OFF = /^(?:false|0|no|off|n|none|disabled|f)$/i;
const ADDRESS = /^(?:[a-z][a-z\d+.-]{1,20}:\/\/|https?:|mailto:|arn:|projects\/|git@|[^\s@]+@[^\s@]+\.\w)/i;

export const isOn = (value: JsonValue): boolean =>
  value === true || value === 1 || value === 1n || (typeof value === 'string' && ON.test(value));
const isOff = (value: JsonValue): boolean =>
  value === false || value === 0 || (typeof value === 'string' && OFF.test(value));

function fits(value: JsonValue, kind: ValueKind): boolean {
  switch (kind) {
    case 'on':
      return isOn(value);
    case 'off':
      return isOff(value);
    case 'url':
      return typeof value === 'string' && /^https?:/i.test(value);
    case 'list':
      return Array.isArray(value) && value.length > 0;
    case 'text':
      return typeof value === 'string' && value !== '';
    case 'address':
      return typeof value === 'string'
        ? ADDRESS.test(value)
        : Array.isArray(value) && value.some((item) => fits(item, kind));
    case 'filled':
      return isFilled(value);
  }
}

function isFilled(value: JsonValue): boolean {
  if (value === null || value === '' || value === false) return false;
  return typeof value !== 'object' || hasContent(value);
}

/** Whether a list or an object has anything in it. To list the keys of a long list would take a millisecond. */
export function hasContent(value: object): boolean {
  if (Array.isArray(value)) return value.length > 0;
  for (const _name in value) return true;
  return false;
}

const PERSON = /^(?:[^\s@]{1,100}@[^\s@]{1,100}\.\w{2,20}|\+\d{8,15})$/;
const SELECTED = /^(?:fields|select|include|expand|projection|properties|attributes)$/;
/** Why a reading request returns a secret: it asks for that field. Null: nothing says so. */
function secretIn(entries: readonly Entry[]): string | null {
  const found = entries.find(
    ({ names, value }) =>
      names.some((name) => SELECTED.test(name)) &&
      typeof value === 'string' &&
      thingsIn(wordsOf(value)).some(({ isSecret }) => isSecret),
  );
  if (found) return `"${found.written.slice(0, 60)}" asks for a secret`;
  const file = entries.find(namesSecretFile);
  return file ? `"${file.written.slice(0, 60)}" names a file with secrets` : null;
}

const FILES = /(?:^|-)(?:paths?|files?|filenames?|keys?|uri|name|source)$/;
const namesSecretFile = ({ names, value }: Pick<Entry, 'names' | 'value'>): boolean =>
  names.some((name) => FILES.test(name)) &&
  [value].flat().some((item) => typeof item === 'string' && item.length <= NAME_READ_MAX && SECRET_FILE.test(item));

/** Why a reading request is about a person: it asks for an address or a number. Null: nothing says so. */
function personIn(entries: readonly Entry[]): string | null {
  const found = entries.find(({ names, value }) =>
    [value]
      .flat()
      .some((text) => typeof text === 'string' && (PERSON.test(text) || names.some((name) => /email/.test(name)))),
  );
  return found ? `"${found.written.slice(0, 60)}" names a person` : null;
}

/** Why a reading request takes out records of people: it lists what to take of each. Null: nothing says so. */
function recordsIn(entries: readonly Entry[]): string | null {
  const found = entries.find(({ value, names }) => {
    const items = Array.isArray(value)
      ? value
      : typeof value === 'string' && LISTS.test(names[0])
        ? value.split(',')
        : [];
    const texts = items.slice(0, 200).filter((item): item is string => typeof item === 'string');
    return texts.filter((text) => PERSONAL.has(wordsOf(text).join('-'))).length >= PERSONAL_MIN;
  });
  return found ? `"${found.written.slice(0, 60)}" takes out records of people` : null;
}
const LISTS = /(?:^|-)(?:fields?|columns?|select|attributes?|properties)$/;
const PERSONAL_MIN = 2;

/** What the parameters and fields of a reading request say. */
export function effectsOfReading(entries: readonly Entry[]): FieldEffect[] {
  const [person, secret, records] = [personIn(entries), secretIn(entries), recordsIn(entries)];
  return [
    ...(person === null ? [] : [{ effect: 'personalData' as const, reason: person }]),
    ...(records === null ? [] : [{ effect: 'bulk' as const, reason: records }]),
    ...(secret === null ? [] : [{ effect: 'credentials' as const, reason: secret }]),
  ];
}
