/**
 * Reads the model's response (docs/reference/risk.md#model-answer). Servers wrap verdicts in different ways, but the
 * verdict itself must be unambiguous.
 */
import { verdictIn } from './verdict-text.js';

/** The model's verdict on one request. */
export interface ModelAnswer {
  /** 0 to 1. */
  score: number;
  explanation: string;
}

/**
 * `timeout`: no response in time. `refusal`: the model, or a filter before it, refused to assess the request. `score`:
 * an unusable response that contains a score. `unreadable`: a response that may contain a score. `none`: nothing that
 * says how risky the request is.
 */
type FailureKind = 'timeout' | 'refusal' | 'score' | 'unreadable' | 'none';

/** The model gave no usable verdict. Agents and approvers see the reason, so it contains no addresses and no quotes. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';

  constructor(
    readonly reason: string,
    readonly kind: FailureKind = 'none',
    readonly options: { cause?: unknown; score?: number } = {},
  ) {
    super(reason, options);
  }

  /** The highest score that an unusable response contains. */
  get score(): number {
    return this.options.score ?? 0;
  }
}

const EXPLANATION_MAX = 1000;
const NO_EXPLANATION = 'The model gave no explanation.';
/** Invisible characters: control, format (bidirectional marks, tags), lone surrogates and line separators. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * Reads a chat completion. It must have exactly one finished choice whose text is one verdict. Anything ambiguous is a
 * failure.
 * @throws ModelFailure
 */
export function readCompletion(completion: unknown): ModelAnswer {
  return orUnreadable(() => {
    try {
      return readVerdict(readContent(completion));
    } catch (err) {
      if (!(err instanceof ModelFailure) || err.kind === 'refusal') throw err;
      throw withScoreIn(JSON.stringify(field(completion, 'choices')) ?? '', err);
    }
  });
}

/** The tokens that the server counted; 0 where it says nothing, or no number. */
export function tokensOf(completion: unknown): { prompt: number; completion: number } {
  const usage = field(completion, 'usage');
  const count = (name: string): number => {
    const tokens = field(usage, name);
    return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
  };
  return { prompt: count('prompt_tokens'), completion: count('completion_tokens') };
}

/** The first line of an event stream. Some servers always stream. */
const EVENT_STREAM = /^\s*(?:data|event|id|retry)?:/;

/** @throws ModelFailure for a response that is not JSON */
export function parseCompletion(response: string): unknown {
  // Its score may be spread over several events.
  if (EVENT_STREAM.test(response)) throw new ModelFailure('answer is an event stream', 'unreadable');
  return orUnreadable(() => {
    const completion = parsed(response);
    if (completion === undefined) throw withScoreIn(response, new ModelFailure('answer is not JSON'));
    return completion;
  });
}

/** Nobody knows what an answer says that makes its reader fail, for example by its depth. */
function orUnreadable<T>(read: () => T): T {
  try {
    return read();
  } catch (err) {
    throw err instanceof ModelFailure
      ? err
      : new ModelFailure('answer could not be read', 'unreadable', { cause: err });
  }
}

/** A failure is treated no more leniently than the score that the unusable response contains. */
function withScoreIn(text: string, failure: ModelFailure): ModelFailure {
  const score = highestScore(text);
  return score === null ? failure : new ModelFailure(failure.reason, 'score', { score });
}

function readContent(completion: unknown): string {
  const choices = field(completion, 'choices');
  if (!Array.isArray(choices)) throw new ModelFailure('answer is not a chat completion');
  if (choices.some(isRefusal)) throw new ModelFailure('model refused to answer', 'refusal');
  if (choices.length !== 1) throw new ModelFailure(`answer has ${choices.length} choices`);
  const [choice] = choices as unknown[];
  const finish = field(choice, 'finish_reason');
  // Some servers don't say why they stopped. Any reason other than "stop" means that the text was cut off or that the
  // model calls a tool.
  if (finish !== 'stop' && finish !== null && finish !== undefined) throw new ModelFailure('answer is unfinished');
  const message = field(choice, 'message');
  if (present(field(message, 'tool_calls')) || present(field(message, 'function_call'))) {
    throw new ModelFailure('model called a tool instead of answering');
  }
  const content = contentText(field(message, 'content'));
  if (content.trim() === '') throw new ModelFailure('answer is empty');
  return content;
}

/** Providers report a refusal in the message, in a part of it, or as the finish reason. */
function isRefusal(choice: unknown): boolean {
  const message = field(choice, 'message');
  const content = field(message, 'content');
  return (
    field(choice, 'finish_reason') === 'content_filter' ||
    present(field(message, 'refusal')) ||
    (Array.isArray(content) && content.some((part) => field(part, 'type') === 'refusal'))
  );
}

/** The content as one text. Parts that contain the model's reasoning are left out. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw new ModelFailure('answer is empty');
  return content
    .map((part: unknown) => {
      const [type, text] = [field(part, 'type'), field(part, 'text')];
      if (type === 'thinking' || type === 'reasoning') return '';
      if (type !== 'text' || typeof text !== 'string') throw new ModelFailure('answer has parts that are not text');
      return text;
    })
    .join('');
}

function readVerdict(content: string): ModelAnswer {
  const json = verdictIn(content);
  const verdict = parsed(json);
  if (verdict === undefined) throw new ModelFailure('answer is not JSON');
  if (typeof verdict !== 'object' || verdict === null || Array.isArray(verdict)) {
    throw new ModelFailure('answer is not a JSON object');
  }
  const score = exactNumber(own(verdict, 'score'));
  if (score === null) throw new ModelFailure('score is not a number');
  // Also refuses 1e999, which parses to Infinity.
  if (!(score >= 0 && score <= 1)) throw new ModelFailure('score is not within 0 and 1');
  // JSON.parse keeps the last of two scores, and it is unclear which one the model meant.
  if (scoreKeys(json) > 1) throw new ModelFailure('answer has two scores');
  const explanation = own(verdict, 'explanation');
  if (typeof explanation !== 'string') throw new ModelFailure('explanation is not text');
  return { score, explanation: tidy(explanation) };
}

function tidy(explanation: string): string {
  const text = explanation.replace(UNSEEN, ' ').trim();
  if (text === '') return NO_EXPLANATION;
  if (text.length <= EXPLANATION_MAX) return text;
  // The cut may fall between the halves of a surrogate pair.
  return `${text.slice(0, EXPLANATION_MAX - 1).replace(UNSEEN, '')}…`;
}

/** Accepts a number, or a text with a number from 0 to 1 in plain digits. Any other text would be ambiguous. */
function exactNumber(score: unknown): number | null {
  if (typeof score === 'number') return score;
  return typeof score === 'string' && /^(0(\.\d+)?|1(\.0+)?)$/.test(score) ? Number(score) : null;
}

/** Counts the keys named "score" in a JSON text, including nested and escaped ones. */
function scoreKeys(json: string): number {
  // Most answers have the word once, and no escape that could hide another one.
  if (json.match(/score|\\/gi)?.length === 1) return 1;
  // It consumes an unclosed text as a whole, so that no character is read twice.
  const keys = json.matchAll(/"(?:[^"\\]|\\.)*(?:"(\s*:)?)?/g);
  return Array.from(keys).filter(
    ([token, colon]) =>
      colon &&
      String(parsed(token.slice(0, -colon.length)))
        .trim()
        .toLowerCase() === 'score',
  ).length;
}

/** Texts that a reader recognises as a score: `'score': .9`, `**Score:** 0.9`, `{score: [0.9]}`, `risk_score=0.9`. */
const ANY_SCORE = /score[^\w.-]{0,20}((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)(?![\d/]|\.\d)/gi;

/** @returns null if the text has no score from 0 to 1. It can read leniently, because its result only makes a decision stricter. */
function highestScore(text: string): number | null {
  const plain = text
    .replace(/(?<!\\)\\+u([\da-f]{4})/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replace(/(?<!\\)\\+[nrt]/g, ' ');
  const scores = Array.from(plain.matchAll(ANY_SCORE), ([, digits]) => Number(digits));
  const within = scores.filter((score) => score >= 0 && score <= 1);
  return within.length === 0 ? null : within.reduce((highest, score) => Math.max(highest, score));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? own(value, name) : undefined;

const own = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

const present = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
