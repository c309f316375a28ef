import { readFileSync } from 'node:fs';
import type { HttpMethod } from '#contracts';
import { compileCondition, compileSum, type Compiled, type Expression } from './condition.js';
import { ConditionFacts } from './facts.js';
import { FIELDS, VARIABLES } from './language.js';

const PAGE = readFileSync('docs/reference/conditions.md', 'utf8');
const SUMS = readFileSync('docs/reference/limits.md', 'utf8');
const EXAMPLE =
  /^\/\/ ([A-Z]+) (\S+)(?: with effects ([\w,]+)| by ([\w-]+)| at (\S+))?(?: ([^\s-].*))? -> (true|false|undecided|[\d.]+)$/;

interface Example {
  expression: string;
  line: string;
}

const examplesOf = (page: string): Example[] =>
  Array.from(page.matchAll(/```cel\n([^]*?)```/g), ([, text]) => text).flatMap((expression) =>
    expression
      .split('\n')
      .filter((line) => line.startsWith('//'))
      .map((line) => ({ expression, line })),
  );
const conditions = examplesOf(PAGE);
const sums = examplesOf(SUMS);
const expected = ({ line }: Example): string => line.slice(line.lastIndexOf('->') + 3);

function evaluated<Result>(
  { expression, line }: Example,
  compile: (text: string) => Compiled<Expression<Result>>,
): string {
  const read = EXAMPLE.exec(line);
  if (read === null) return 'not readable';
  const [, method, path, effects, agentName, at, body] = read;
  const type = /^[[{]/.test(body ?? '') ? 'application/json' : 'application/x-www-form-urlencoded';
  const compiled = compile(expression);
  if (!compiled.ok) return compiled.fault;
  const result = compiled.expression.evaluate(
    new ConditionFacts({
      request: {
        method: method as HttpMethod,
        targetUrl: `https://api.example.com${path}`,
        headers: body === undefined ? {} : { 'content-type': type },
        body: body ?? null,
      },
      agentId: 1,
      nowMs: at === undefined ? 0 : Date.parse(at),
      agentName: agentName ?? 'bot',
      effects: () => (effects ?? '').split(','),
    }),
    path.split('?', 1)[0],
  );
  return typeof result === 'object' ? 'undecided' : String(result);
}

describe('docs/reference/conditions.md', () => {
  it('has examples', () => expect(conditions.length).toBeGreaterThan(30));

  it.each(conditions)('is right about $line', (example) => {
    expect(evaluated(example, compileCondition)).toBe(expected(example));
  });

  it('names every field', () => {
    for (const name of Object.keys(VARIABLES)) expect(PAGE).toContain(`\`${name}`);
    for (const name of Object.values(FIELDS).flatMap((fields) => Object.keys(fields)))
      expect(PAGE).toMatch(new RegExp(`[\`.]${name}\``));
  });
});

describe('docs/reference/limits.md', () => {
  it('has examples', () => expect(sums.length).toBeGreaterThan(10));

  it.each(sums)('is right about $line', (example) => {
    expect(evaluated(example, compileSum)).toBe(expected(example));
  });
});
