import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Configuration } from '#contracts';
import { readCases } from './case-file.js';
import { testPolicy } from './main.js';

const CONFIG = 'examples/policy/config.yaml';
const CASES = 'examples/policy/cases.yaml';
const { services = [] } = parse(readFileSync(CONFIG, 'utf8')) as Configuration;
const rules = services.flatMap((service) => (service.rules ?? []).map((rule) => ({ service: service.name, rule })));
const page = readFileSync('docs/rules.md', 'utf8');

/** The rules of the page, by the heading of their service. */
function documented() {
  const [, ...sections] = page.slice(page.indexOf('## Twenty rules')).split(/^### /m);
  return sections.map((section) => ({
    service: section.split('\n', 1)[0],
    rules: [...section.matchAll(/^```yaml\n(.*?)^```/gms)].flatMap(([, yaml]) => parse(yaml) as unknown[]),
  }));
}

describe('the example of a policy', () => {
  it('decides every case as expected', async () => {
    const [out, err]: [string[], string[]] = [[], []];
    const output = {
      say: (line: string) => out.push(line),
      warn: (line: string) => err.push(line),
      fail: (line: string) => err.push(line),
    };
    const order = { config: CONFIG, documents: null, update: false, cases: [CASES] };
    expect(await testPolicy(order, output)).toBe(0);
    expect([out, err]).toEqual([[expect.stringMatching(/^\d+ cases, 0 differ$/)], []]);
  });

  it('has twenty rules, each of which decides a case', () => {
    expect(rules).toHaveLength(20);
    const { cases } = readCases(CASES, readFileSync(CASES, 'utf8'));
    const decided = new Set(cases.map(({ service, expect: expected }) => `${service} / ${expected?.rule}`));
    expect(rules.map(({ service, rule }) => `${service} / ${rule.name}`).filter((name) => !decided.has(name))).toEqual(
      [],
    );
    expect(cases.length).toBeGreaterThanOrEqual(3 * rules.length);
  });

  it('is what the page says', () => {
    expect(documented()).toEqual(services.map(({ name: service, rules: all }) => ({ service, rules: all })));
  });
});
