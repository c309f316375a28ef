/**
 * Reads what the model said (docs/reference/risk.md#model-answer). Real servers differ in how they wrap a verdict; what
 * is inside has to be plain.
 */
import { verdictIn } from './verdict-text.js';

/** What the model said of one request. */
export interface ModelAnswer {
  /** 0 to 1. */
  score: number;
  explanation: string;
}

/**
 * `timeout`: no answer in time. `refusal`: the model, or a filter before it, would not judge. `score`: an answer that is not
 * usable, with a score in it. `none`: nothing that says how risky the request is.
 */
export type FailureKind = 'timeout' | 'refusal' | 'score' | 'none';

/** The model gave no usable verdict. The reason is shown to agents and approvers: it names no address and quotes nothing. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';

  constructor(
    readonly reason: string,
    readonly kind: FailureKind = 'none',
    readonly options: { cause?: unknown; score?: number } = {},
  ) {
    super(reason, options);
  }

  /** The highest score that an unusable answer gives anywhere. */
  get score(): number {
    return this.options.score ?? 0;
  }
}

const EXPLANATION_MAX = 1000;
const NO_EXPLANATION = 'The model gave no explanation.';
/** Control, format (bidirectional marks, tags), lone surrogate and line separator characters: nothing a reader could see. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * Reads a chat completion: exactly one choice, finished, its text one verdict. Whatever needs guessing is no verdict.
 * @throws ModelFailure
 */
export function readCompletion(completion: unknown): ModelAnswer {
  try {
    return readVerdict(contentOf(completion));
  } catch (err) {
    if (!(err instanceof ModelFailure) || err.kind === 'refusal') throw err;
    const score = highestScore(JSON.stringify(field(completion, 'choices')) ?? '');
    throw score === null ? err : new ModelFailure(err.reason, 'score', { score });
  }
}

function contentOf(completion: unknown): string {
  const choices = field(completion, 'choices');
  if (!Array.isArray(choices)) throw new ModelFailure('answer is no chat completion');
  if (choices.some(isRefusal)) throw new ModelFailure('model refused to answer', 'refusal');
  if (choices.length !== 1) throw new ModelFailure(`answer has ${choices.length} choices`);
  const [choice] = choices as unknown[];
  const finish = field(choice, 'finish_reason');
  // Not every server says why it stopped; one that says anything but "stop" was cut off, or wants to call a tool.
  if (finish !== 'stop' && finish !== null && finish !== undefined) throw new ModelFailure('answer is unfinished');
  const message = field(choice, 'message');
  if (present(field(message, 'tool_calls')) || present(field(message, 'function_call'))) {
    throw new ModelFailure('model called a tool instead of answering');
  }
  const content = textOf(field(message, 'content'));
  if (content.trim() === '') throw new ModelFailure('answer is empty');
  return content;
}

/** Providers say it in the message, in a part of it, or as the reason why it ended. */
function isRefusal(choice: unknown): boolean {
  const message = field(choice, 'message');
  const content = field(message, 'content');
  return (
    field(choice, 'finish_reason') === 'content_filter' ||
    present(field(message, 'refusal')) ||
    (Array.isArray(content) && content.some((part) => field(part, 'type') === 'refusal'))
  );
}

/** A text, or parts of which those with thoughts are left out. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw new ModelFailure('answer is empty');
  return content
    .map((part: unknown) => {
      const [type, text] = [field(part, 'type'), field(part, 'text')];
      if (type === 'thinking' || type === 'reasoning') return '';
      if (type !== 'text' || typeof text !== 'string') throw new ModelFailure('answer has parts that are no text');
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
  // 1e999 parses to Infinity, which no comparison with 0 and 1 lets through.
  if (!(score >= 0 && score <= 1)) throw new ModelFailure('score is not within 0 and 1');
  // JSON.parse keeps the last of two: which of them was meant is anybody's guess.
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

/** A number, or a text that spells one from 0 to 1 in plain digits. Whatever else a text says needs guessing. */
function exactNumber(score: unknown): number | null {
  if (typeof score === 'number') return score;
  return typeof score === 'string' && /^(0(\.\d+)?|1(\.0+)?)$/.test(score) ? Number(score) : null;
}

/** How many keys of a JSON text are a score, nested ones too, however their letters are escaped. */
function scoreKeys(json: string): number {
  const keys = json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g);
  return Array.from(keys).filter(
    ([token, colon]) =>
      colon &&
      String(parsed(token.slice(0, -colon.length)))
        .trim()
        .toLowerCase() === 'score',
  ).length;
}

/** What a reader takes for a score: `'score': .9`, `**Score:** 0.9`, `{score: [0.9]}`, `risk_score=0.9`. */
const ANY_SCORE = /score[^\w.-]{0,20}((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)(?![\d/]|\.\d)/gi;

/** @returns null where no score within 0 and 1 stands in the text. Only ever makes a decision stricter, so it may be lenient. */
function highestScore(text: string): number | null {
  const plain = text
    .replace(/\\+u([\da-f]{4})/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replace(/\\+[nrt]/g, ' ');
  const scores = Array.from(plain.matchAll(ANY_SCORE), ([, digits]) => Number(digits));
  const within = scores.filter((score) => score >= 0 && score <= 1);
  return within.length === 0 ? null : Math.max(...within);
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
