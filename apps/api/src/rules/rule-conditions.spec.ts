import { RULE_EFFECTS, type RuleEffect } from '#contracts';
import { ConditionFacts } from '../conditions/facts.js';
import type { MethodStatement } from '../request-reading/request-methods.js';
import { RequestPath } from '../request-reading/request-path.js';
import type { ConditionedRule } from './rule-conditions.js';
import { covers, type RuleScope, type RuleSubject } from './rule-matching.js';

const BASE = 'https://api.example.com';
const subject = (path: string, body: string | null): RuleSubject & { undecided: Map<ConditionedRule, string> } => {
  const request: MethodStatement = {
    method: 'POST',
    targetUrl: BASE + path,
    headers: { 'content-type': 'application/json' },
    body,
  };
  return {
    agentId: 7,
    methods: ['POST'],
    path: new RequestPath(new URL(request.targetUrl), BASE),
    facts: new ConditionFacts({ request, agentId: 7, nowMs: 0 }),
    undecided: new Map(),
  };
};
const rule = (effect: RuleEffect, when: string, more: Partial<RuleScope> = {}): RuleScope => ({
  effect,
  when,
  methods: [],
  agentIds: [],
  pathPattern: '',
  ...more,
});
const RESTRICTING: RuleEffect[] = RULE_EFFECTS.filter((effect) => effect !== 'allow' && effect !== 'guidance');

describe('a rule with a condition', () => {
  it.each(RULE_EFFECTS)('matches if it holds: %s', (effect) => {
    expect(covers(rule(effect, ''), subject('/x', '{}'))).toBe(true);
    expect(covers(rule(effect, 'request.body.a == 1'), subject('/x', '{"a":1}'))).toBe(true);
    expect(covers(rule(effect, 'request.body.a == 1'), subject('/x', '{"a":2}'))).toBe(false);
    expect(covers(rule(effect, 'true', { methods: ['GET'] }), subject('/x', '{}'))).toBe(false);
    expect(covers(rule(effect, 'true', { pathPattern: '/y' }), subject('/x', '{}'))).toBe(false);
  });

  it.each(RULE_EFFECTS)('counts what can not be decided against the request, and says why: %s', (effect) => {
    const isMatch = RESTRICTING.includes(effect);
    for (const [when, body, why] of [
      ['request.body.a == 1', '{}', 'there is no field a'],
      ['request.body.a == 1', '{"a":1,"A":2}', 'the body can not be read: it has the key "A" twice'],
      ['request.bod == 1', '{}', 'when: line 1, column 9: there is no field bod'],
    ]) {
      const given = rule(effect, when);
      const request = subject('/x', body);
      expect(covers(given, request)).toBe(isMatch);
      expect([...request.undecided]).toEqual([[given, why]]);
    }
    const { facts: _, ...unknown } = subject('/x', '{}');
    expect(covers(rule(effect, 'true'), unknown)).toBe(isMatch);
  });

  it('does not evaluate the condition of a rule for other requests', () => {
    const request = subject('/x', '{}');
    expect(covers(rule('deny', 'request.body.a == 1', { pathPattern: '/y' }), request)).toBe(false);
    expect(request.undecided.size).toBe(0);
  });

  it.each(['/admin/..;/public/x', '/public/%2e%2e/admin', '/PUBLIC/x', '/public%2fx', '/public;/x'])(
    'compares every reading of the path %s',
    (path) => {
      const when = '!request.path.startsWith("/public/")';
      for (const effect of RESTRICTING) expect(covers(rule(effect, when), subject(path, null))).toBe(true);
      const allowed = covers(rule('allow', 'request.path.startsWith("/public/")'), subject(path, null));
      const readings = subject(path, null).path.exact.map(({ text }) => text);
      expect(allowed).toBe(readings.every((text) => text.startsWith('/public/')));
    },
  );

  it('is decided from the plain path for allow', () => {
    expect(covers(rule('allow', 'request.path == "/public/X"'), subject('/public/X', null))).toBe(true);
    for (const effect of RESTRICTING) {
      expect(covers(rule(effect, 'request.path == "/public/X"'), subject('/public/X', null))).toBe(true);
    }
  });
});
