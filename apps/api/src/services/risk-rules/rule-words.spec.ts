import type { ServiceRule } from '../service-view.js';
import { rulesInWords } from './rule-words.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const rule = (fields: Partial<ServiceRule>): ServiceRule => ({
  id: 1,
  name: 'r',
  effect: 'deny',
  methods: [],
  pathPattern: '',
  instruction: '',
  agentIds: [],
  expiresAt: null,
  maxUses: null,
  createdAt: 0,
  ...fields,
});

describe('rules in words', () => {
  it('say what happens to which requests, those with the most force first', () => {
    const rules = [
      rule({ name: 'reads pass', effect: 'allow', methods: ['GET', 'HEAD'] }),
      rule({ name: 'ask', effect: 'require_approval', methods: ['DELETE'], pathPattern: '/customers/*' }),
      rule({ name: 'closed' }),
      rule({ name: 'for now', effect: 'allow', expiresAt: NOW + 1000, maxUses: 3 }),
    ];
    expect(rulesInWords(rules, 7, NOW)).toEqual([
      'Every request: refused (rule "closed")',
      'DELETE requests to /customers/*: held until a human approves (rule "ask")',
      'GET, HEAD requests: sent without asking anybody (rule "reads pass")',
      'Every request: sent without asking anybody (rule "for now", until 2026-01-01T12:00:01.000Z, a limited number of times)',
    ]);
  });

  it('leave out what does not hold for the agent, and what only the model is told', () => {
    const rules = [
      rule({ agentIds: [8] }),
      rule({ expiresAt: NOW }),
      rule({ effect: 'guidance', instruction: 'refunds over 100 are risky' }),
    ];
    expect(rulesInWords(rules, 7, NOW)).toEqual([]);
    expect(rulesInWords(rules, 8, NOW)).toHaveLength(1);
  });
});
