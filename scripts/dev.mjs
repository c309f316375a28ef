/**
 * `npm run dev`: rebuilds and restarts the gateway when a file of the API changes, and serves the dashboard from Vite,
 * which shows changes immediately. Uses the PostgreSQL and the secrets of `npm start`.
 *   --verbose   the gateway's whole log, not only its warnings
 */
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { loadDotenv } from './lib/dotenv.mjs';
import { startGateway } from './lib/gateway-child.mjs';
import { bold, fail, green, red, say, step } from './lib/lines.mjs';
import { onStopSignal } from './lib/stop-signals.mjs';
import { ROOT, copyFunctions, installIfNeeded, nodeFault } from './lib/toolchain.mjs';
import { prepareTrial } from './lib/trial.mjs';

/** The line that tsc prints in watch mode after each build. */
const BUILT = /Found (\d+) errors?\. Watching for file changes\./;
const STATUS = /(Starting|File change detected\. Starting)( incremental)? compilation/;
/** The dashboard is below /dashboard/; the gateway answers everything else. */
const GATEWAY_PATHS = '^/(?!dashboard/)';

const fault = nodeFault();
if (fault) fail(fault);
process.umask(0o022);

/** @type {(() => unknown)[]} stops everything that has started, in the order of its start */
const started = [];
let stopping = false;
onStopSignal(stop);

try {
  const dotenv = join(ROOT, '.env');
  if (existsSync(dotenv)) loadDotenv(dotenv);
  await installIfNeeded(step);
  const place = await prepareTrial({ dataDir: join(ROOT, '.data'), log: step });
  started.push(place.stop);
  if (!process.argv.includes('--verbose')) place.env.LOG_LEVEL ??= 'warn';
  void place.databaseExited.then((error) => error && !stopping && fail(error.message));

  step('Compiling the API');
  const restart = restarting(place);
  await watchBuilds(restart);
  // The compiler does not watch SQL.
  const functions = watch(join(ROOT, 'libs/database/src/functions'), () => void restart());
  started.push(() => functions.close());
  const dashboard = await serveDashboard(place.url);
  if (!stopping) showUrls(place.url, dashboard);
} catch (error) {
  if (!stopping) fail(error instanceof Error ? error.message : String(error));
}

/**
 * Replaces the running gateway by the build in dist/. If that does not start, the terminal shows the reason, and the
 * next build tries again.
 * @param {import('./lib/trial.mjs').Surroundings} place
 */
function restarting({ env, url }) {
  /** @type {Awaited<ReturnType<typeof startGateway>> | null} */
  let gateway = null;
  let again = false;
  /** @type {Promise<void> | null} */
  let restart = null;
  const end = async () => {
    const last = gateway;
    gateway = null;
    last?.kill();
    await last?.exited;
  };
  started.push(async () => {
    await restart;
    await end();
  });
  const run = async () => {
    do {
      again = false;
      const since = Date.now();
      await end();
      try {
        copyFunctions();
        const next = await startGateway(env, url, null);
        gateway = next;
        step(`The gateway is ready (${((Date.now() - since) / 1000).toFixed(1)} s)`);
        void next.exited.then((error) => gateway === next && say(`${red('✗')} ${error.message}`));
      } catch (error) {
        say(`${red('✗')} ${error instanceof Error ? error.message : String(error)}`);
      }
    } while (again && !stopping);
    restart = null;
  };
  // A build that finishes while the gateway starts runs next.
  return () => {
    again = restart !== null;
    return (restart ??= run());
  };
}

/** Resolves when the gateway runs the first build without errors. @param {() => Promise<void>} onBuilt */
function watchBuilds(onBuilt) {
  const args = ['-p', 'apps/api/tsconfig.app.json', '--watch', '--preserveWatchOutput'];
  const tsc = spawn(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(() => tsc.kill());
  tsc.once('exit', () => stopping || fail('The TypeScript compiler ended'));
  return new Promise((first) => {
    createInterface({ input: tsc.stdout }).on('line', (line) => {
      const errors = BUILT.exec(line)?.[1];
      if (errors === '0') void onBuilt().then(() => first(undefined));
      else if (errors) say(`${red('✗')} ${errors} to fix; the gateway keeps running the last build`);
      else if (line.trim() && !STATUS.test(line)) say(line);
    });
  });
}

/** @param {string} gateway @returns {Promise<string>} the dashboard's URL */
async function serveDashboard(gateway) {
  const { createServer } = await import('vite');
  const vite = await createServer({
    configFile: join(ROOT, 'apps/dashboard/vite.config.ts'),
    clearScreen: false,
    logLevel: 'warn',
    server: { host: '127.0.0.1', proxy: { [GATEWAY_PATHS]: gateway } },
  });
  started.push(() => vite.close());
  await vite.listen();
  return /** @type {string} */ (vite.resolvedUrls?.local[0]);
}

function showUrls(/** @type {string} */ gateway, /** @type {string} */ dashboard) {
  say();
  say(`${green('●')} Open ${bold(dashboard)}`);
  say();
  say(`  Dashboard   ${dashboard}   shows changes immediately`);
  say(`  API         ${gateway}   restarts when a file of apps/api or libs changes`);
  say('  Data        .data/, as with npm start');
  say();
  say('  Ctrl-C stops everything.');
}

/** Stops everything in order. A second signal does not wait. */
async function stop() {
  if (stopping) process.exit(130);
  stopping = true;
  for (const end of started.reverse()) await end();
  process.exit(0);
}
