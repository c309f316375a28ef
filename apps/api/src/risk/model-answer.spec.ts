import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { makeCompletion } from '../../test/support/fake-model.js';
import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { ModelFailure, parseCompletion, readCompletion } from './model-answer.js';

/** One response, given as message content or as a complete completion, with the expected score or failure. */
interface Case {
  name: string;
  content?: string;
  completion?: unknown;
  score?: number;
  explanation?: string;
  failure?: true;
  /** The kind of a failure that holds the request. */
  kind?: 'refusal' | 'score';
}

const corpus = JSON.parse(
  readFileSync(join(process.cwd(), 'apps/api/test/corpus/model-answers.json'), 'utf8'),
) as Case[];
const completion = (entry: Case): unknown =>
  entry.content === undefined ? entry.completion : makeCompletion(entry.content);

function catchModelFailure(given: unknown): ModelFailure {
  try {
    readCompletion(given);
  } catch (err) {
    expect(err).toBeInstanceOf(ModelFailure);
    return err as ModelFailure;
  }
  throw new Error('was read');
}

describe('the corpus of model answers', () => {
  it('has at least 100 cases, most of them malformed', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(100);
    expect(corpus.filter(({ failure }) => failure).length).toBeGreaterThanOrEqual(100);
  });

  it.each(corpus.filter(({ failure }) => failure))('refuses: $name', (entry) => {
    const failure = catchModelFailure(completion(entry));
    // A failure with a score below the threshold of 0.5 does not hold the request by itself.
    const kind = failure.kind === 'score' && failure.score < 0.5 ? undefined : failure.kind;
    expect(kind === 'none' ? undefined : kind).toBe(entry.kind);
  });

  it.each(corpus.filter(({ failure }) => !failure))('reads: $name', (entry) => {
    const answer = readCompletion(completion(entry));
    expect(answer.score).toBe(entry.score);
    if (entry.explanation !== undefined) expect(answer.explanation).toBe(entry.explanation);
  });
});

describe('any model response', () => {
  const failsOrIsSound = (given: unknown): void => {
    try {
      const { score, explanation } = readCompletion(given);
      expect(score >= 0 && score <= 1).toBe(true);
      expect(explanation).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{1,1000}$/u);
    } catch (err) {
      expect(err).toBeInstanceOf(ModelFailure);
    }
  };

  it('is either a failure or a score from 0 to 1 with a readable explanation', () => {
    fc.assert(fc.property(fc.anything(), failsOrIsSound));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (content) => failsOrIsSound(makeCompletion(content))));
    fc.assert(
      fc.property(fc.record({ score: fc.anything(), explanation: fc.anything() }, { requiredKeys: [] }), (verdict) =>
        failsOrIsSound(makeCompletion(JSON.stringify(verdict, (_, value) => (typeof value === 'bigint' ? 1 : value)))),
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (explanation) =>
        failsOrIsSound(makeCompletion(JSON.stringify({ score: 0.5, explanation }))),
      ),
    );
  });

  /** Ways in which servers and models wrap or damage a verdict. */
  const damage = fc.oneof(
    fc.record({ at: fc.nat(), cut: fc.integer({ min: 1, max: 5 }) }).map(
      ({ at, cut }) =>
        (text: string) =>
          text.slice(0, at % text.length) + text.slice((at % text.length) + cut),
    ),
    fc
      .string({ unit: fc.constantFrom(...'{}[]"`,:\\</think>score01. \n'), maxLength: 30 })
      .map((after) => (text: string) => text + after),
    fc
      .string({ unit: fc.constantFrom(...'{}[]"`,:\\<>think/score09. \n'), maxLength: 30 })
      .map((before) => (text: string) => before + text),
    fc.constantFrom(
      (text: string) => `\`\`\`json\n${text}\n\`\`\``,
      (text: string) => `<think>${text}</think>`,
      (text: string) => `Verdict: ${text}`,
      (text: string) => text + text,
      (text: string) => JSON.stringify(text),
    ),
  );

  it('never gets a lower score by being wrapped or damaged', () => {
    fc.assert(
      fc.property(
        // A cut can't turn these digits into another number.
        fc.constantFrom('1', '"1"'),
        fc.string(),
        fc.array(damage, { minLength: 1, maxLength: 4 }),
        (score, explanation, damages) => {
          const verdict = `{"score":${score},"explanation":${JSON.stringify(explanation)}}`;
          const content = damages.reduce((text, alter) => alter(text), verdict);
          try {
            expect([content, readCompletion(makeCompletion(content)).score]).toEqual([content, 1]);
          } catch (err) {
            if (!(err instanceof ModelFailure)) throw err;
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('keeps a high score that it contains, even if it is malformed', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.5, max: 1, noNaN: true }), fc.string({ maxLength: 50 }), (score, rest) => {
        for (const content of [
          `{"score":${score},${rest}`,
          `${rest}{"score":${score}}`,
          `{"score": "${score}"} ${rest}`,
        ]) {
          const failed = catchModelFailure(makeCompletion(content));
          expect([failed.kind, failed.score >= score]).toEqual(['score', true]);
        }
      }),
    );
  });

  it.each([
    "{'score': 0.9, 'explanation': 'x'}",
    '**Score:** 0.9\n**Explanation:** deletes all of it.',
    '**Score**:\n\n0.9.',
    '{score: 0.9, explanation: "x"}',
    '{"score": .9, "explanation": "x"}',
    '{"score": [0.9], "explanation": "x"}',
    '{"score": "0.90 (high)", "explanation": "x"}',
    '{"risk_score": 0.9, "explanation": "x"}',
  ])('keeps a readable score even if it is not JSON: %s', (content) => {
    const { kind, score } = catchModelFailure(makeCompletion(content));
    expect([kind, score]).toEqual(['score', 0.9]);
  });

  it('accepts every number from 0 to 1 unchanged, and no other', () => {
    fc.assert(
      fc.property(
        fc.double().map((value) => value + 0),
        (score) => {
          const given = makeCompletion(`{"score":${String(score)},"explanation":"x"}`);
          if (score >= 0 && score <= 1) expect(readCompletion(given).score).toBe(score);
          else expect(() => readCompletion(given)).toThrow(ModelFailure);
        },
      ),
    );
  });

  it('reads megabytes of backslashes in linear time', async () => {
    const read = (length: number) => {
      const text = '\\'.repeat(length);
      return () => expect(() => parseCompletion(text)).toThrow(ModelFailure);
    };
    // The text is eight times as long: a quadratic pattern needs 64 times as long.
    expect(await timesAsLong(read(800_000), read(100_000))).toBeLessThan(24);
  });

  it('finds the highest of hundreds of thousands of scores', () => {
    expect(catchModelFailure(makeCompletion('score 1 '.repeat(200_000)))).toMatchObject({ kind: 'score', score: 1 });
  });

  it('is unreadable when the answer is nested too deeply', () => {
    const verdict = '{"message":{"content":"{\\"score\\":0.95,\\"explanation\\":\\"x\\"}"}}';
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const read = () => readCompletion(parseCompletion(`{"choices":[${verdict},${deep}]}`));
    expect(read).toThrow(expect.objectContaining({ kind: 'unreadable' }));
  });
});
