/**
 * `npm run test:chaos`: kills, starves and cuts off the built gateway on a real, durable PostgreSQL, and prints which
 * checks passed. Needs Linux (/proc) and 40 minutes on two cores. The last line is `N passed, N failed`.
 *   --only=NAME     one of decisions, kill, database, faults, deadZone, churn, rolling, strangers,
 *                   notifications, notificationKills, storm, hungryAgent, searchingAgent, judgedAgent
 *   --attack=TEXT   only those attacks of hungryAgent whose name has this text
 *   --rounds=N      rounds of kill -9 (100)
 *   --no-build      run the existing build in dist/
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { churn } from '../test/chaos/churn.mjs';
import { database } from '../test/chaos/database.mjs';
import { decisions } from '../test/chaos/decisions.mjs';
import { deadZone } from '../test/chaos/dead-zone.mjs';
import { hungryAgent } from '../test/chaos/hungry-agent.mjs';
import { judgedAgent } from '../test/chaos/judged-agent.mjs';
import { kill } from '../test/chaos/kill.mjs';
import { notificationKills } from '../test/chaos/notification-kills.mjs';
import { notifications } from '../test/chaos/notifications.mjs';
import { rolling } from '../test/chaos/rolling.mjs';
import { searchingAgent } from '../test/chaos/searching-agent.mjs';
import { storm } from '../test/chaos/storm.mjs';
import { strangers } from '../test/chaos/strangers.mjs';
import { upstreamFaults } from '../test/chaos/upstream-faults.mjs';
import { bold, dim, green, red, say, step } from './lib/lines.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { buildIfNeeded } from './lib/toolchain.mjs';

const option = (/** @type {string} */ name) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const only = option('only');
const rounds = Number(option('rounds') ?? 100);

/** @typedef {import('../test/chaos/lib/report.mjs').Report} Report */
/** @type {Record<string, (postgres: import('./lib/postgres.mjs').Postgres, dataDir: string) => Promise<Report>>} */
const scenarios = {
  decisions: ({ url }) => decisions({ databaseUrl: url, rounds: 200 }),
  kill: ({ url }) => kill({ databaseUrl: url, rounds }),
  database: (postgres, dataDir) => database({ databaseUrl: postgres.url, server: { postgres, dataDir } }),
  faults: ({ url }) => upstreamFaults({ databaseUrl: url, times: 1000 }),
  deadZone: ({ url }) => deadZone({ databaseUrl: url, requests: 2000 }),
  churn: ({ url }) => churn({ databaseUrl: url }),
  rolling: ({ url }) => rolling({ databaseUrl: url, restarts: 20 }),
  strangers: ({ url }) => strangers({ databaseUrl: url, seconds: 20 }),
  notifications: ({ url }) => notifications({ databaseUrl: url, seconds: 60 }),
  notificationKills: ({ url }) => notificationKills({ databaseUrl: url, kills: 20 }),
  storm: ({ url }) => storm({ databaseUrl: url, requests: 10_000, perSecond: 150, idleSeconds: 20 }),
  hungryAgent: ({ url }) => hungryAgent({ databaseUrl: url, seconds: 10, attack: option('attack') }),
  searchingAgent: ({ url }) => searchingAgent({ databaseUrl: url, seconds: 10 }),
  judgedAgent: ({ url }) => judgedAgent({ databaseUrl: url, seconds: 10 }),
};

if (!process.argv.includes('--no-build')) await buildIfNeeded(step);
let passed = 0;
let failed = 0;
for (const [name, run] of Object.entries(scenarios)) {
  if (only !== undefined && only !== name) continue;
  const startMs = performance.now();
  const dataDir = mkdtempSync(join(tmpdir(), 'agw-chaos-'));
  const postgres = await startPostgres({ dataDir, durable: true });
  try {
    print(await run(postgres, dataDir), (performance.now() - startMs) / 1000);
  } catch (error) {
    failed++;
    say(`\n${red('✗')} ${name}: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await postgres.stop();
    // Another server may run there by now: the scenario itself stops what it starts.
    rmSync(dataDir, { recursive: true, force: true });
  }
}
say(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** @param {Report} report @param {number} seconds */
function print(report, seconds) {
  say(`\n${bold(report.title)} ${dim(`${seconds.toFixed(0)} s`)}`);
  for (const { name, value } of report.figures) say(`  ${name.padEnd(64)} ${String(value).padStart(10)}`);
  for (const { name, ok, detail } of report.checks) {
    if (ok) passed++;
    else failed++;
    say(`  ${ok ? green('✓') : red('✗')} ${name}${ok || !detail ? '' : `: ${detail}`}`);
  }
}
