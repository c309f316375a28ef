import type { RuleEffect } from '#contracts';
import { ConditionFacts } from '../conditions/facts.js';
import type { MethodStatement } from '../request-reading/request-methods.js';
import { RequestPath } from '../request-reading/request-path.js';
import type { Danger, Disagreement } from '../../test/support/parser-disagreements/disagreement.js';
import { DISAGREEMENTS } from '../../test/support/parser-disagreements/disagreements.js';
import { covers } from './rule-matching.js';

/** What each danger is, and what a team would call harmless. */
const CONDITIONS: Record<Danger, { dangerous: string; harmless: string }> = {
  json: { dangerous: 'has(request.body.amount) && request.body.amount > 100', harmless: 'request.body.amount <= 100' },
  form: {
    dangerous: 'has(request.body.amount) && int(request.body.amount) > 100',
    harmless: 'int(request.body.amount) <= 100',
  },
  query: {
    dangerous: '"amount" in request.query && request.query.amount.exists(v, int(v) > 100)',
    harmless: 'request.query.amount.all(v, int(v) <= 100)',
  },
  graphql: {
    dangerous: 'graphql != null && graphql.type == "mutation"',
    harmless: 'graphql != null && graphql.type == "query"',
  },
  rpc: {
    dangerous: 'rpc != null && "pay" in rpc.tools',
    harmless: 'rpc != null && rpc.methods.all(m, m == "ping")',
  },
};

function isCovered({ danger, why: _, type, ...given }: Disagreement, effect: RuleEffect): boolean {
  const request: MethodStatement = {
    method: 'POST',
    targetUrl: 'https://api.example.com/x',
    headers: type ? { 'Content-Type': type } : {},
    body: null,
    ...given,
  };
  const { dangerous, harmless } = CONDITIONS[danger];
  const when = effect === 'allow' ? harmless : dangerous;
  return covers(
    { effect, when, methods: [], agentIds: [], pathPattern: '' },
    {
      agentId: 7,
      methods: ['POST'],
      path: new RequestPath(new URL(request.targetUrl), 'https://api.example.com'),
      facts: new ConditionFacts({ request, agentId: 7, nowMs: 0 }),
    },
  );
}

describe('requests that servers read differently', () => {
  it('are many', () => {
    expect(new Set(DISAGREEMENTS.map((each) => JSON.stringify(each))).size).toBe(DISAGREEMENTS.length);
    expect(DISAGREEMENTS.length).toBeGreaterThanOrEqual(200);
  });

  const cases = DISAGREEMENTS.map((each): [string, Disagreement] => [
    `${each.danger}, ${each.why}: ${JSON.stringify([each.body?.slice(0, 80), each.type, each.targetUrl])}`,
    each,
  ]);

  it.each(cases)('are denied and asked for, and not allowed: %s', (_name, each) => {
    expect({
      deny: isCovered(each, 'deny'),
      ask: isCovered(each, 'require_approval'),
      allow: isCovered(each, 'allow'),
    }).toEqual({ deny: true, ask: true, allow: false });
  });

  it.each([
    [
      'json',
      { type: 'application/json', body: '{"amount":5,"createdAt":"2026-11-27","items":[{"a":1.5},{"a":null}]}' },
    ],
    ['json', { type: 'application/merge-patch+json; charset=UTF-8', body: ' { "amount" : 5 }\r\n' }],
    [
      'form',
      {
        type: 'application/x-www-form-urlencoded',
        body: 'amount=5&note=a+b%20%C3%A4&card[number]=4&card[exp]=1&_id=1&id=2',
      },
    ],
    [
      'form',
      {
        type: 'multipart/form-data; boundary=b',
        body: '--b\r\nContent-Disposition: form-data; name="amount"\r\n\r\n5\r\n--b--\r\n',
      },
    ],
    ['query', { targetUrl: 'https://api.example.com/x?amount=5&page=1&sort=-created%20at' }],
    ['graphql', { type: 'application/json', body: '{"query":"query A { a(id: 1) { b } }","variables":{"x":1}}' }],
    ['rpc', { type: 'application/json', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }],
  ] as [Danger, Partial<Disagreement>][])('leave plain requests alone: %s %j', (danger, given) => {
    const each = { danger, why: '', ...given };
    expect({ deny: isCovered(each, 'deny'), allow: isCovered(each, 'allow') }).toEqual({ deny: false, allow: true });
  });
});
