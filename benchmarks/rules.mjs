// The cost of a service's rules for one request, with the worst rules and the worst paths that the API accepts. Needs
// `npm run build:api`. Starts no server: it measures only the comparison, in this process.
import process from 'node:process';

const { matchingRules } = await import('../dist/apps/api/src/rules/rule-matching.js');
const { RequestPath } = await import('../dist/apps/api/src/request-reading/request-path.js');

const RULES_PER_SERVICE = 500;
const PATH_MAX = 8_000;
const BASE = 'https://api.example.com/v1';
const ROUNDS = 300;

const fill = (text, length = PATH_MAX) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

const patterns = {
  'literal, all different': (i) => `/customers/${i}/orders`,
  usual: (i) => `/resource${i}/**`,
  anywhere: (i) => `/**/resource${i}/**`,
  '8 x **, found late': (i) => `**a${'**a'.repeat(6)}**${i}`,
  '8 x *, in one segment': (i) => `/${'*a'.repeat(7)}*${i}`,
  mixed: (i) => `**a*b**a*b**a*b**${i}`,
  'long literals': (i) => `**${'a'.repeat(400)}b**${'a'.repeat(80)}${i}`,
};
const paths = {
  short: '/customers/42',
  'usual, encoded': '/projects/group%2Fname/issues/17/notes;x=1',
  '8,000 x a': `/${fill('a')}`,
  '4,000 x a/': `/${fill('a/')}`,
  'encoded twice': `/${fill('%2561/')}`,
  'all characters that are cut': `/${fill('a%00;%20.%3f/')}`,
  'encoded 8 times': `/${fill(`%${'25'.repeat(7)}61/`)}`,
};

const rows = [];
for (const [patternName, pattern] of Object.entries(patterns)) {
  for (const [pathName, path] of Object.entries(paths)) {
    for (const effect of ['deny', 'allow']) {
      const rules = Array.from({ length: RULES_PER_SERVICE }, (_, id) => ({
        id,
        name: 'n',
        effect,
        methods: [],
        pathPattern: pattern(id),
        instruction: '',
        agentIds: [],
        expiresAt: null,
        maxUses: null,
      }));
      const url = new URL(BASE + path);
      const round = () => matchingRules(rules, { agentId: 1, methods: ['GET'], path: new RequestPath(url, BASE) }, 0);
      // The first rounds compile: our patterns, and V8's code.
      for (let i = 0; i < ROUNDS / 3; i++) round();
      const before = process.cpuUsage();
      for (let i = 0; i < ROUNDS; i++) round();
      const { user, system } = process.cpuUsage(before);
      rows.push({ effect, patterns: patternName, path: pathName, 'ms of CPU': (user + system) / ROUNDS / 1000 });
    }
  }
}
rows.sort((one, other) => other['ms of CPU'] - one['ms of CPU']);
const shown = process.argv.includes('--all') ? rows : rows.slice(0, 12);
console.table(shown.map((row) => ({ ...row, 'ms of CPU': Number(row['ms of CPU'].toFixed(3)) })));
const usual = rows.find((row) => row.patterns === 'usual' && row.path === 'short' && row.effect === 'deny');
console.log(`${RULES_PER_SERVICE} usual rules, short path: ${usual['ms of CPU'].toFixed(3)} ms`);
console.log(`worst of ${rows.length}: ${rows[0]['ms of CPU'].toFixed(3)} ms (goal: at most 1)`);
if (rows[0]['ms of CPU'] > 1) process.exitCode = 1;
