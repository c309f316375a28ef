import { singular } from '../request-reading/singular.js';
import type { Step } from '../request-reading/path-steps.js';

/** Which thing a request is about, such as order 7731, so that people see what else waits about it. Pure. */
export interface NamedThing {
  /** `order`. Empty: the request shows the identifier alone. */
  noun: string;
  id: string;
}

/** Nothing that a URL encodes, so that a search for it finds it. */
const ID = /^[\w.~-]{1,64}$/;
const NOUN = /^[\w-]{1,40}$/;
/** Requests about different things have these in common. */
const SCOPES = new Set(
  'account api app calendar namespace org organisation organization profile project repo repository rest site store subscription team tenant user workspace zone'.split(
    ' ',
  ),
);
/** Fields that name a thing without `id` in their names. */
const THINGS = new Set(
  'booking capture charge contract customer employee invoice order payment payment_intent refund sku ticket transaction transfer'.split(
    ' ',
  ),
);
const ID_FIELD = /^(.+?)(?:[_.-](?:id|number|ref|reference|uuid)|Id|ID|Number|Ref|Reference)$/;

/** The innermost thing that the path names, or else the first one that the headline names. */
export const namedThing = (steps: readonly Step[], headline: string): NamedThing | null =>
  inPath(steps).at(-1) ?? inHeadline(headline)[0] ?? null;

/** @param pathname of the other request, as it is sent */
export function namesThing({ noun, id }: NamedThing, pathname: string, headline: string): boolean {
  const path = pathname.split('/').map(withoutFormat);
  return (
    path.some((text, index) => text === id && nounOf(path[index - 1] ?? '') === noun) ||
    inHeadline(headline).some((each) => each.id === id && each.noun === noun)
  );
}

function inPath(steps: readonly Step[]): NamedThing[] {
  return steps.flatMap(({ text, isIdentifier }, index) => {
    const before = steps[index - 1];
    if (!isIdentifier || before === undefined || before.isIdentifier) return [];
    const isScope = SCOPES.has(nounOf(before.text)) && index < steps.length - 1;
    return isScope ? [] : toThing(before.text, withoutFormat(text));
  });
}

/** `Refund €12,500.00 · order_id: 7731` */
function inHeadline(headline: string): NamedThing[] {
  const [, ...items] = headline.replace(/ \[\w+\]$/, '').split(' · ');
  return items.flatMap((item) => {
    const [, name = '', id = ''] = /^(?:([^:“]+): )?“?([^”]+)”?$/.exec(item) ?? [];
    if (!/\d/.test(id)) return [];
    // A call of a tool shows the identifier alone.
    if (name === '') return id.length > 2 && ID.test(id) ? [{ noun: '', id }] : [];
    const last = name.split('.').at(-1)!;
    const word = ID_FIELD.exec(last)?.[1] ?? (THINGS.has(last.toLowerCase()) ? last : '');
    return SCOPES.has(nounOf(word)) ? [] : toThing(word, id);
  });
}

const toThing = (word: string, id: string): NamedThing[] =>
  NOUN.test(word) && ID.test(id) ? [{ noun: nounOf(word), id }] : [];

const nounOf = (word: string): string => singular(word.toLowerCase());

const withoutFormat = (step: string): string => step.replace(/\.json$/, '');
