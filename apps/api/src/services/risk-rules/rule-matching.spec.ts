import fc from 'fast-check';
import { HTTP_METHODS, RULE_EFFECTS, RULE_PRESETS } from '#contracts';
import { pathReadings } from '#egress';
import type { ServiceRule } from '../service-view.js';
import { matchingRules } from './rule-matching.js';

const BASE = 'https://api.example.com/v1';
const NOW = 1_700_000_000_000;
const rule = (overrides: Partial<ServiceRule>): ServiceRule => ({
  id: 1,
  name: 'rule',
  effect: 'deny',
  methods: [],
  pathPattern: '',
  instruction: '',
  agentIds: [],
  expiresAt: null,
  maxUses: null,
  ...overrides,
});
const request = (method: (typeof HTTP_METHODS)[number], path: string, agentId = 7) => ({
  agentId,
  method,
  readings: pathReadings(new URL(BASE + path), BASE),
});
const names = (rules: ServiceRule[]) => rules.map(({ name }) => name);

describe('matchingRules', () => {
  it('holds for all requests when it names nothing', () => {
    expect(matchingRules([rule({})], request('GET', '/x'), NOW)).toHaveLength(1);
  });

  it('puts the stronger effect first, whatever the order of making', () => {
    const rules = RULE_EFFECTS.toReversed().map((effect, id) => rule({ id, effect, name: effect }));
    expect(names(matchingRules(rules, request('GET', '/x'), NOW))).toEqual([
      'deny',
      'require_approval',
      'allow',
      'guidance',
    ]);
  });

  it('leaves out rules of other methods, agents and paths', () => {
    const rules = [
      rule({ name: 'method', methods: ['DELETE', 'PUT'] }),
      rule({ name: 'agent', agentIds: [8, 9] }),
      rule({ name: 'path', pathPattern: '/orders/**' }),
      rule({ name: 'holds', methods: ['GET'], agentIds: [7], pathPattern: '/customers/*' }),
    ];
    expect(names(matchingRules(rules, request('GET', '/customers/42'), NOW))).toEqual(['holds']);
  });

  it('ends at its moment', () => {
    const rules = [rule({ expiresAt: NOW })];
    expect(matchingRules(rules, request('GET', '/x'), NOW - 1)).toHaveLength(1);
    expect(matchingRules(rules, request('GET', '/x'), NOW)).toHaveLength(0);
  });

  it.each(['/admin%2fusers', '//admin/users', '/x%2f..%2fadmin/users', '/admin;x=1/users', '/%61dmin/users'])(
    'keeps %s in a prohibition and out of a permission',
    (path) => {
      const prohibited = ['deny', 'require_approval'] as const;
      for (const effect of prohibited) {
        expect(matchingRules([rule({ effect, pathPattern: '/admin/**' })], request('GET', path), NOW)).toHaveLength(1);
      }
      expect(matchingRules([rule({ effect: 'allow', pathPattern: '/admin/**' })], request('GET', path), NOW)).toEqual(
        [],
      );
    },
  );

  it('never permits what it would not prohibit', () => {
    const segment = fc.constantFrom('admin', 'users', '..', '.', '', '%2e%2e', '%2f', 'a%2Fb', ';x', '%5c', '42');
    const path = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`);
    const pattern = fc.constantFrom('/admin/**', '/admin/*', '/users', '/**/42', '/*/admin');
    fc.assert(
      fc.property(path, pattern, (text, pathPattern) => {
        const url = new URL(BASE + text);
        const subject = { agentId: 7, method: 'GET' as const, readings: pathReadings(url, BASE) };
        const allowed = matchingRules([rule({ effect: 'allow', pathPattern })], subject, NOW).length;
        const denied = matchingRules([rule({ effect: 'deny', pathPattern })], subject, NOW).length;
        expect(allowed).toBeLessThanOrEqual(denied);
      }),
    );
  });

  it('gives each preset the effect that its title promises', () => {
    const effectOf = (key: string, method: (typeof HTTP_METHODS)[number]) => {
      const preset = RULE_PRESETS.find((entry) => entry.key === key)!;
      const rules = preset.rules.map((entry) => rule({ ...entry, methods: [...entry.methods] }));
      return matchingRules(rules, request(method, '/x'), NOW)[0]?.effect;
    };
    expect(HTTP_METHODS.filter((method) => effectOf('ask-before-delete', method))).toEqual(['DELETE']);
    expect(HTTP_METHODS.filter((method) => effectOf('ask-before-write', method) === 'require_approval')).toEqual([
      'POST',
      'PUT',
      'DELETE',
      'PATCH',
    ]);
    expect(HTTP_METHODS.filter((method) => effectOf('reads-pass', method) === 'allow')).toEqual([
      'GET',
      'HEAD',
      'OPTIONS',
    ]);
  });
});
