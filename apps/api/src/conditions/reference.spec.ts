import { readFileSync } from 'node:fs';
import type { HttpMethod } from '#contracts';
import { compileCondition } from './condition.js';
import { ConditionFacts } from './facts.js';
import { FIELDS, VARIABLES } from './language.js';

const PAGE = readFileSync('docs/reference/conditions.md', 'utf8');
const EXAMPLE =
  /^\/\/ ([A-Z]+) (\S+)(?: with effects ([\w,]+)| by ([\w-]+)| at (\S+))?(?: ([^\s-].*))? -> (true|false|undecided)$/;

interface Example {
  condition: string;
  line: string;
}

const examples = Array.from(PAGE.matchAll(/```cel\n([^]*?)```/g), ([, text]) => text).flatMap((condition): Example[] =>
  condition
    .split('\n')
    .filter((line) => line.startsWith('//'))
    .map((line) => ({ condition, line })),
);

function evaluated({ condition, line }: Example): string {
  const read = EXAMPLE.exec(line);
  if (read === null) return 'not readable';
  const [, method, path, effects, agentName, at, body] = read;
  const type = /^[[{]/.test(body ?? '') ? 'application/json' : 'application/x-www-form-urlencoded';
  const compiled = compileCondition(condition);
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
  return typeof result === 'boolean' ? String(result) : 'undecided';
}

describe('docs/reference/conditions.md', () => {
  it('has examples', () => expect(examples.length).toBeGreaterThan(30));

  it.each(examples)('is right about $line', (example) => {
    expect(evaluated(example)).toBe(example.line.slice(example.line.lastIndexOf('->') + 3));
  });

  it('names every field', () => {
    for (const name of Object.keys(VARIABLES)) expect(PAGE).toContain(`\`${name}`);
    for (const name of Object.values(FIELDS).flatMap((fields) => Object.keys(fields)))
      expect(PAGE).toMatch(new RegExp(`[\`.]${name}\``));
  });
});
