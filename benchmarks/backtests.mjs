// How long one request of a backtest (docs/reference/rules.md#backtests) stops the event loop: the processor time of each
// piece of work between two turns, for bodies of 256 kB that cost the most. Needs `npm run build:api`. Starts no server.
import process from 'node:process';

const { NOT_DOCUMENTED, RequestFacts } = await import('../dist/apps/api/src/risk/request-facts.js');
const { matchingOf } = await import('../dist/apps/api/src/risk/decide.js');

const BASE = 'https://api.example.com/v1';
const BYTES = 256 * 1024;
const ROUNDS = 9;

const listOf = (item) => {
  const items = [];
  for (let length = 0; length < BYTES - 100; length += JSON.stringify(items.at(-1)).length + 1)
    items.push(item(items.length));
  return JSON.stringify({ amount: 5, list: items });
};
const BODIES = {
  numbers: listOf((at) => at),
  objects: listOf((at) => ({ n: at, text: 'x' })),
  keys: JSON.stringify(Object.fromEntries(Array.from({ length: 11_000 }, (_, at) => [`key number ${at}`, at]))),
  sql: JSON.stringify({ sql: 'select a, b from users where a = 1 or '.repeat(6_500) }),
  text: JSON.stringify({ text: 'delete all users '.repeat(15_000) }),
};
const WHEN = [
  'request.body.list.all(i, i != -1)',
  'request.text.matches("a(b|c)+d")',
  'graphql != null',
  'rpc != null',
];
const rules = Array.from({ length: 500 }, (_, id) => ({
  ...{ id, name: 'n', effect: 'require_approval', methods: [], pathPattern: '', instruction: '', agentIds: [] },
  ...{ expiresAt: null, maxUses: null, when: WHEN[id % WHEN.length] },
}));
const service = { id: 1, baseUrl: BASE, rules, askFor: [] };

function cpuMs(run) {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];

console.log('processor time in ms, the median of 9 rounds');
for (const [kind, body] of Object.entries(BODIES)) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const request = {
      method: 'POST',
      targetUrl: `${BASE}/refunds`,
      headers: { 'content-type': 'application/json' },
      body,
      intent: '',
    };
    const facts = new RequestFacts(request, BASE, NOT_DOCUMENTED, false);
    return {
      parse: cpuMs(() => facts.isUnreadable),
      effects: cpuMs(() => facts.effects),
      rules: cpuMs(() => matchingOf(service, 1, request, 0, facts)),
    };
  });
  const pieces = Object.keys(rounds[0]).map((name) => `${name} ${median(rounds.map((each) => each[name])).toFixed(1)}`);
  console.log(`${kind.padEnd(8)} ${(body.length / 1024).toFixed(0)} kB: ${pieces.join(', ')}`);
}
