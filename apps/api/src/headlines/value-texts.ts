import { CREDENTIAL_MASK } from '#contracts/headers';
import { enumerated } from '../request-reading/enumerated.js';
import { withoutSecrets } from '../request-reading/secret-texts.js';
import { spoken } from '../request-reading/title-words.js';
import type { NamedValue, Scalar, ValueList } from './named-values.js';

/** What a headline shows of something. */
export interface Shown {
  text: string;
  /** Whether another value would be shown as another text. */
  isWhole: boolean;
}

const NAME_MAX = 30;
const VALUE_MAX = 40;
const ITEM_MAX = 30;
const READ_MAX = 300;
/** A text that reads like another kind of value. */
const LIKE_OTHERS = /^(?:|true|false|null|none)$/;

/** `name: value` */
export function showNamed({ path, value, isSecret }: NamedValue, max = VALUE_MAX): Shown {
  const last = nameOf(path);
  const name = showText(last, NAME_MAX);
  const shown = isSecret ? HIDDEN : showValue(value, max);
  if (path.length === 0) return shown;
  return { text: `${name.text}: ${shown.text}`, isWhole: last === path.join('.') && name.isWhole && shown.isWhole };
}

/** `recurring.interval`: the last names, as many as fit. */
export function nameOf(path: readonly string[]): string {
  const last = path.slice(-2).join('.');
  return last.length <= NAME_MAX ? last : (path.at(-1) ?? '');
}

const HIDDEN: Shown = { text: CREDENTIAL_MASK, isWhole: false };

export function showValue(value: NamedValue['value'], max = VALUE_MAX): Shown {
  return typeof value === 'object' && value !== null ? showList(value, max) : showScalar(value, max);
}

function showList({ empty, count, items, isAll }: ValueList, max: number): Shown {
  if (count === 0) return { text: empty, isWhole: true };
  if (items.length === 0) return { text: `${count} items`, isWhole: false };
  const shown = items.map((item) => showScalar(item, ITEM_MAX));
  const text = enumerated(shown, max, (item) => item.text);
  const isEnumerated = shown.map((item) => item.text).join(', ') === text;
  const isWhole = isAll && isEnumerated && shown.every((item) => item.isWhole);
  return { text: isEnumerated && isAll ? text : `${count} (${text.replace(/ and \d+ more$/, ', …')})`, isWhole };
}

function showScalar(value: Scalar, max: number): Shown {
  if (typeof value !== 'string') return { text: String(value), isWhole: true };
  return showText(value, max);
}

/** A text of others in one line. It can't read like words of the headline. */
export function showText(text: string, max: number): Shown {
  if (text === '') return { text: '“”', isWhole: true };
  // White space between two words is one blank, also where it is a line break.
  const safe = withoutSecrets(text).slice(0, READ_MAX).replace(/\s+/g, ' ');
  const shown = spoken(safe, max);
  const isWhole = (shown === text || shown === `“${text}”`) && !LIKE_OTHERS.test(text);
  return { text: shown === '' ? '“ ”' : shown, isWhole };
}
