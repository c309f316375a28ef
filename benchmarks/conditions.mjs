// The cost of conditions (docs/reference/conditions.md) for one request: 20 rules, of which 5 have a condition, beside the
// same rules without; and 500 conditions on a body of 1 MB. Needs `npm run build:api`. Starts no server: it measures only
// the comparison, in this process. All rounds are interleaved.
import process from 'node:process';

const { ConditionFacts } = await import('../dist/apps/api/src/conditions/facts.js');
const { matchingRules } = await import('../dist/apps/api/src/rules/rule-matching.js');
const { RequestPath } = await import('../dist/apps/api/src/request-reading/request-path.js');
const { requestMethods } = await import('../dist/apps/api/src/request-reading/request-methods.js');
const { requestContent } = await import('../dist/apps/api/src/request-reading/request-content.js');

const BASE = 'https://api.example.com/v1';
/** The goal for 500 conditions on 1 MB: it stops the event loop for that time. */
const BLOCKED_MAX_MS = 50;

const rule = (id, when = '') => ({
  id,
  name: 'n',
  effect: 'deny',
  methods: [],
  pathPattern: when === '' ? `/resource${id}/**` : '',
  instruction: '',
  agentIds: [],
  expiresAt: null,
  maxUses: null,
  when,
});
const request = (body) => ({
  method: 'POST',
  targetUrl: `${BASE}/refunds`,
  headers: { 'Content-Type': 'application/json' },
  body,
});

/** What the assessor does for each request. @returns the number of matches */
function assess(rules, body) {
  const each = request(body);
  const path = new RequestPath(new URL(each.targetUrl), BASE);
  const facts = new ConditionFacts({ request: each, agentId: 1, nowMs: 0 });
  return matchingRules(rules, { agentId: 1, methods: requestMethods(each), path, facts }, 0).length;
}

function cpuMs(run, rounds) {
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / rounds / 1000;
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];

/** The median CPU time of each, over interleaved series. */
function compare(runs, rounds, series = 9) {
  const times = runs.map(() => []);
  for (let at = 0; at < series + 2; at++) {
    for (const [index, run] of runs.entries()) {
      const ms = cpuMs(run, rounds);
      // The first rounds compile: our conditions, and V8's code.
      if (at >= 2) times[index].push(ms);
    }
  }
  return times.map(median);
}

const small = JSON.stringify({ amount: 50, currency: 'EUR', note: 'x'.repeat(900), items: [{ id: 1 }, { id: 2 }] });
const CONDITIONS = [
  'request.body.amount > 100',
  'request.body.amount > 50 && request.body.currency == "EUR"',
  'request.body.items.exists(i, i.id == 3)',
  'has(request.body.note) && request.body.note.matches("(?i)drop\\\\s+table")',
  'request.method == "DELETE" && "x" in request.query',
];
const plain = Array.from({ length: 20 }, (_, id) => rule(id));
const conditioned = plain.map((each, id) => (id < CONDITIONS.length ? rule(id, CONDITIONS[id]) : each));
const [without, withFive] = compare([() => assess(plain, small), () => assess(conditioned, small)], 3000);

const large = JSON.stringify({
  items: Array.from({ length: 9000 }, (_, id) => ({
    id,
    amount: id * 1.5,
    createdAt: '2026-01-01T00:00:00Z',
    name: `item ${id}`,
    nested: { a: [1, 2, 3], b: null },
  })),
});
const many = (when) => Array.from({ length: 500 }, (_, id) => rule(id, when(id)));
const WORST = {
  'no conditions': () => '',
  'a field': (id) => `request.body.items[${id}].amount > 1e9`,
  'every item': (id) => `request.body.items.exists(i, i.amount > ${1e6 + id}.5)`,
  'the whole text': (id) => `request.text.contains("drop table ${id}")`,
  'a pattern for every item': (id) => `request.body.items.exists(i, i.name.matches("(a+)+b${id}"))`,
  'equality of all': (id) => `request.body == request.body || ${id} == 0`,
  'names that are missing': (id) => `request.body.items.exists(i, has(i.zzz${id}))`,
};
const names = Object.keys(WORST);
const rules = names.map((name) => many(WORST[name]));
const times = compare([() => requestContent(request(large)), ...rules.map((each) => () => assess(each, large))], 1, 15);

console.log(`20 rules, a body of ${small.length} bytes: ${(without * 1000).toFixed(1)} µs`);
console.log(`the same, 5 of them with conditions: ${(withFive * 1000).toFixed(1)} µs`);
console.log(`500 rules with conditions, a body of ${large.length} bytes, milliseconds of CPU:`);
console.table(
  Object.fromEntries(['reading it', ...names].map((name, index) => [name, Number(times[index].toFixed(1))])),
);
const worst = Math.max(...times);
console.log(`worst: ${worst.toFixed(1)} ms (goal: at most ${BLOCKED_MAX_MS})`);
if (worst > BLOCKED_MAX_MS) process.exitCode = 1;
