/** The words of a path: of a documented template, or of what was sent. */
import { isParameter, pathSegments } from '../request-reading/path-template.js';
import { singular } from '../request-reading/singular.js';
import { actInName } from './act.js';
import { isAbout, thingsIn, wordsOf } from './names.js';
import { remembered } from './remembered.js';

/** The segments that were read, counted from the end. Longer paths name places. */
const SEGMENTS_MAX = 30;

/** No name of an act is longer. */
const SEGMENT_MAX = 200;

/** A part of a path that the API chose, empty if it says nothing. Null: a value. */
type Literal = string[][] | null;

export interface PathWords {
  readonly literals: readonly Literal[];
  isDocumented: boolean;
}

/** `/v1`, `/2010-04-01`, `/api`, and ids: they say nothing. */
const EMPTY =
  /^(?:v?\d[\d.-]*(?:alpha|beta)?\d*|api|rest|@?me|self|mine|own|all|rpc|async|\$ref|\$count|\$value|actions|operations)$/i;
/** A word or a name of words. An id has digits. */
const WORDS = /^[$_:@]?[A-Za-z]+(?:[-_.:]+[A-Za-z]+)*$/;

/** The words of the template of a documented operation. */
export const templateWords = remembered((template): PathWords => ({
  literals: pathSegments(template.split('?', 1)[0])
    .slice(-SEGMENTS_MAX)
    .map((each) => (isParameter(each) ? null : literal(each.replace(/\{[^{}]*\}/g, '')))),
  isDocumented: true,
}));

/** The words of a path that no template describes: what has digits counts as a value. */
export const pathWords = remembered((path): PathWords => ({
  literals: withoutNames(
    pathSegments(path)
      .slice(-SEGMENTS_MAX)
      .map((each) => (each.length <= SEGMENT_MAX && WORDS.test(each) ? literal(each) : null)),
  ),
  isDocumented: false,
}));

/** Behind a plural stands a name, unless it is a known word: `/folders/old-reports`. */
const withoutNames = (literals: Literal[]): Literal[] =>
  literals.map((each, at) => {
    const before = literals[at - 1]?.flat().at(-1);
    const words = each?.flat() ?? [];
    if (
      before === undefined ||
      words.length === 0 ||
      singular(before) === before ||
      singular(words.at(-1)!) !== words.at(-1)
    )
      return each;
    return actInName([words], '') === null && thingsIn(words).length === 0 && !words.some(isAbout) ? null : each;
  });

/** Parameters without a value, such as S3's `?policy`. */
export const bareNames = (query: URLSearchParams): string[] =>
  [...query]
    .filter(([, value]) => value === '')
    .map(([name]) => name)
    .slice(0, 20);

/** The dotted parts of a segment, without an extension: `chat.postMessage`. */
const literal = (segment: string): Literal =>
  EMPTY.test(segment)
    ? []
    : segment
        .replace(/\.(?:json|xml|php|aspx?|do|html?|csv)$/i, '')
        .split(/[.:]/)
        .map(wordsOf)
        .filter((words) => words.length > 0);
