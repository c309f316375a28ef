/** What the model said of one request. */
export interface ModelAnswer {
  /** 0 to 1. */
  score: number;
  explanation: string;
}

/** The model gave no usable verdict. The reason is shown to agents and approvers: it names no address and quotes nothing. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';

  constructor(
    readonly reason: string,
    readonly timedOut = false,
    options?: { cause?: unknown },
  ) {
    super(reason, options);
  }
}

const EXPLANATION_MAX = 1000;
const NO_EXPLANATION = 'The model gave no explanation.';
/** Control, format (bidirectional marks, tags), lone surrogate and line separator characters: nothing a reader could see. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * Reads a chat completion: exactly one choice, finished, its content one JSON object and nothing else. A code fence is
 * refused like any other text around the object: whatever needs interpreting is no verdict, and a failure raises the score.
 * @throws ModelFailure
 */
export function readCompletion(completion: unknown): ModelAnswer {
  const choices = field(completion, 'choices');
  if (!Array.isArray(choices)) throw new ModelFailure('answer is no chat completion');
  if (choices.length !== 1) throw new ModelFailure(`answer has ${choices.length} choices`);
  const [choice] = choices as unknown[];
  const finish = field(choice, 'finish_reason');
  // Not every server says why it stopped; one that says anything but "stop" was cut off, filtered, or wants to call a tool.
  if (finish !== 'stop' && finish !== null && finish !== undefined) throw new ModelFailure('answer is unfinished');
  const message = field(choice, 'message');
  if (present(field(message, 'refusal'))) throw new ModelFailure('model refused to answer');
  if (present(field(message, 'tool_calls')) || present(field(message, 'function_call'))) {
    throw new ModelFailure('model called a tool instead of answering');
  }
  const content = field(message, 'content');
  if (typeof content !== 'string' || content.trim() === '') throw new ModelFailure('answer is empty');
  return readVerdict(content);
}

function readVerdict(content: string): ModelAnswer {
  let verdict: unknown;
  try {
    verdict = JSON.parse(content);
  } catch {
    throw new ModelFailure('answer is not JSON');
  }
  if (typeof verdict !== 'object' || verdict === null || Array.isArray(verdict)) {
    throw new ModelFailure('answer is not a JSON object');
  }
  const score = own(verdict, 'score');
  if (typeof score !== 'number') throw new ModelFailure('score is not a number');
  // 1e999 parses to Infinity, which no comparison with 0 and 1 lets through.
  if (!(score >= 0 && score <= 1)) throw new ModelFailure('score is not within 0 and 1');
  // JSON.parse keeps the last of two: which of them was meant is anybody's guess.
  if ((content.match(/"score"\s*:/g) ?? []).length > 1) throw new ModelFailure('answer has two scores');
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

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? own(value, name) : undefined;

const own = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

const present = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
