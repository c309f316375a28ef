import type { ServiceRule } from '../service-view/service-view.js';
import { rulesInWords } from './rule-words.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const rule = (fields: Partial<ServiceRule>): ServiceRule => ({
  id: 1,
  name: 'r',
  effect: 'deny',
  methods: [],
  pathPattern: '',
  when: '',
  instruction: '',
  agentIds: [],
  limit: null,
  expiresAt: null,
  maxUses: null,
  approvals: 1,
  approverIds: [],
  createdAt: 0,
  ...fields,
});

describe('rulesInWords', () => {
  it('says what happens to which requests, the strongest rules first', () => {
    const rules = [
      rule({ name: 'reads pass', effect: 'allow', methods: ['GET', 'HEAD'] }),
      rule({ name: 'ask', effect: 'require_approval', methods: ['DELETE'], pathPattern: '/customers/*' }),
      rule({ name: 'closed' }),
      rule({ name: 'for now', effect: 'allow', expiresAt: NOW + 1000, maxUses: 3 }),
    ];
    expect(rulesInWords(rules, 7, NOW)).toEqual([
      'Every request: refused (rule "closed")',
      'DELETE requests to /customers/*: held until a human approves (rule "ask")',
      'GET, HEAD requests: sent without approval (rule "reads pass")',
      'Every request: sent without approval (rule "for now", until 2026-01-01T12:00:01.000Z, a limited number of times)',
    ]);
  });

  it('says what a limit allows, and what happens then', () => {
    const limit = (then: 'deny' | 'require_approval') => ({ count: 10, per: 'hour' as const, then });
    const rules = [
      rule({ name: 'ask', effect: 'require_approval' }),
      rule({ name: 'few', effect: 'limit', methods: ['POST'], pathPattern: '/refunds', limit: limit('deny') }),
      rule({ name: 'more', effect: 'limit', limit: limit('require_approval') }),
    ];
    expect(rulesInWords(rules, 7, NOW)).toEqual([
      'POST requests to /refunds: at most 10 per hour, then refused (rule "few")',
      'Every request: at most 10 per hour, then held until a human approves (rule "more")',
      'Every request: held until a human approves (rule "ask")',
    ]);
  });

  it('leaves out rules that do not apply to the agent, and guidance for the model', () => {
    const rules = [
      rule({ agentIds: [8] }),
      rule({ expiresAt: NOW }),
      rule({ effect: 'guidance', instruction: 'refunds over 100 are risky' }),
    ];
    expect(rulesInWords(rules, 7, NOW)).toEqual([]);
    expect(rulesInWords(rules, 8, NOW)).toHaveLength(1);
  });
});
