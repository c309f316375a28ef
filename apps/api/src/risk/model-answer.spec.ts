import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { completionOf } from '../../test/support/fake-model.js';
import { ModelFailure, readCompletion } from './model-answer.js';

/** One answer: a message content, or a whole completion; and the score that it gives, or that it is a failure. */
interface Case {
  name: string;
  content?: string;
  completion?: unknown;
  score?: number;
  explanation?: string;
  failure?: true;
}

const corpus = JSON.parse(
  readFileSync(join(process.cwd(), 'apps/api/test/corpus/model-answers.json'), 'utf8'),
) as Case[];
const completion = (entry: Case): unknown =>
  entry.content === undefined ? entry.completion : completionOf(entry.content);

describe('the corpus of model answers', () => {
  it('has at least 100 cases, most of them malformed', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(100);
    expect(corpus.filter(({ failure }) => failure).length).toBeGreaterThanOrEqual(100);
  });

  it.each(corpus.filter(({ failure }) => failure))('refuses: $name', (entry) => {
    expect(() => readCompletion(completion(entry))).toThrow(ModelFailure);
  });

  it.each(corpus.filter(({ failure }) => !failure))('reads: $name', (entry) => {
    const answer = readCompletion(completion(entry));
    expect(answer.score).toBe(entry.score);
    if (entry.explanation !== undefined) expect(answer.explanation).toBe(entry.explanation);
  });
});

describe('any answer at all', () => {
  const failsOrIsSound = (given: unknown): void => {
    try {
      const { score, explanation } = readCompletion(given);
      expect(score >= 0 && score <= 1).toBe(true);
      expect(explanation).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{1,1000}$/u);
    } catch (err) {
      expect(err).toBeInstanceOf(ModelFailure);
    }
  };

  it('is a failure or a score within 0 and 1 with a readable explanation', () => {
    fc.assert(fc.property(fc.anything(), failsOrIsSound));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (content) => failsOrIsSound(completionOf(content))));
    fc.assert(
      fc.property(fc.record({ score: fc.anything(), explanation: fc.anything() }, { requiredKeys: [] }), (verdict) =>
        failsOrIsSound(completionOf(JSON.stringify(verdict, (_, value) => (typeof value === 'bigint' ? 1 : value)))),
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (explanation) =>
        failsOrIsSound(completionOf(JSON.stringify({ score: 0.5, explanation }))),
      ),
    );
  });

  it('passes every number within 0 and 1 unchanged, and no other', () => {
    fc.assert(
      fc.property(
        fc.double().map((value) => value + 0),
        (score) => {
          const given = completionOf(`{"score":${String(score)},"explanation":"x"}`);
          if (score >= 0 && score <= 1) expect(readCompletion(given).score).toBe(score);
          else expect(() => readCompletion(given)).toThrow(ModelFailure);
        },
      ),
    );
  });
});
