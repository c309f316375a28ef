import type { HttpMethod } from '#contracts';
import type { Step } from '../request-reading/path-steps.js';
import { singular } from '../request-reading/singular.js';
import { spoken } from '../request-reading/title-words.js';
import type { Money } from './money.js';
import type { NamedValue } from './named-values.js';
import { showText, type Shown } from './value-texts.js';

/** A request whose method and path say what it does, to every server alike. */
export interface PlainRequest {
  method: HttpMethod;
  /** Below the base URL, without versions. */
  steps: readonly Step[];
  values: readonly NamedValue[];
  money: readonly Money[];
  /** What its path names, in words: `refund of order 7731`. */
  thing: string;
  /** Whether a document has a summary of it. */
  isDescribed: boolean;
}

/** What a request does, in words for it, and the values that these words have. */
export interface ToldAct extends Shown {
  used: readonly NamedValue[];
  /** Whether they say what the whole body is. */
  saysBody?: boolean;
}

const NAME_MAX = 30;

export const joined = (parts: readonly (Shown | string)[], used: readonly NamedValue[] = []): ToldAct => ({
  text: parts.map((part) => (typeof part === 'string' ? part : part.text)).join(''),
  isWhole: parts.every((part) => typeof part === 'string' || part.isWhole),
  used,
});
/** The name of a thing. */
export const name = (text: string): Shown => showText(text, NAME_MAX);

/** The value under one of these names, which can stand below others: `subject` and `message.subject`. */
export function valueOf({ values }: PlainRequest, ...names: string[]): NamedValue | undefined {
  for (const wanted of names) {
    const found = values.find(({ path, isSecret }) => !isSecret && path.join('.').toLowerCase() === wanted);
    if (found) return found;
  }
  return undefined;
}

export const textOf = (value: NamedValue | undefined): string | null =>
  typeof value?.value === 'string' && value.value !== '' ? value.value : null;

/** What the path says beside its last name: `order 7731`, `in admin`. Null: nothing. */
export function placeOf({ thing, steps }: PlainRequest): Shown | null {
  const last = thing.slice(spoken(singular(steps.at(-1)!.text), thing.length).length).trim();
  const text = last.replace(/^of /, '');
  return text === '' ? null : { text, isWhole: !text.includes('…') };
}
