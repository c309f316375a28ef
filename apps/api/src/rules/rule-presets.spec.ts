import { RULE_PRESETS, type Effect } from '#contracts';
import { ConditionFacts } from '../conditions/facts.js';
import { RequestPath } from '../request-reading/request-path.js';
import { covers } from './rule-matching.js';

const BASE = 'https://api.example.com';

/** Whether the rule of a preset matches a request. */
function matches(
  key: string,
  request: { path?: string; body?: string; effects?: Effect[]; firstTime?: boolean | null },
): boolean {
  const { path = '/x', body = '{}', effects = [], firstTime = false } = request;
  const targetUrl = BASE + path;
  const headers = { 'content-type': 'application/json' };
  const [rule] = RULE_PRESETS.find((preset) => preset.key === key)!.rules;
  return covers(
    { pathPattern: '', agentIds: [], ...rule, methods: [...rule.methods] },
    {
      agentId: 7,
      methods: ['POST'],
      path: new RequestPath(new URL(targetUrl), BASE),
      facts: new ConditionFacts({
        request: { method: 'POST', targetUrl, headers, body },
        agentId: 7,
        nowMs: 0,
        effects: () => effects,
        firstTime: () => firstTime,
      }),
    },
  );
}

it('allows requests that only read, whatever their method, and none that does more', () => {
  expect(matches('reads-pass', { effects: ['read'] })).toBe(true);
  expect(matches('reads-pass', { effects: ['read', 'personalData'] })).toBe(true);
  for (const more of ['write', 'credentials', 'bulk', 'unclear'] as const) {
    expect([more, matches('reads-pass', { effects: ['read', more] })]).toEqual([more, false]);
  }
});

it('asks before GraphQL mutations, in a batch and unreadable ones too, and not before queries', () => {
  const body = (query: string) => JSON.stringify({ query });
  const asks = (text: string) => matches('ask-before-mutations', { path: '/graphql', body: text });
  expect(asks(body('mutation { deleteShop }'))).toBe(true);
  expect(asks(`[${body('{ shops }')}, ${body('mutation { deleteShop }')}]`)).toBe(true);
  expect(asks(body('mutation {'))).toBe(true);
  expect(asks(body('{ shops }'))).toBe(false);
  expect(matches('ask-before-mutations', { body: '{"query":"shoes"}' })).toBe(false);
});

it('asks the first time, and where nobody knows whether it is', () => {
  const asks = (firstTime: boolean | null) => matches('ask-first-time', { firstTime });
  expect([true, null, false].map(asks)).toEqual([true, true, false]);
});
