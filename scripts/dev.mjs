/**
 * `npm run dev`: the gateway, built again and restarted when a file of the API changes, and the dashboard from Vite, which
 * shows a change at once. PostgreSQL and secrets are those of `npm start`.
 *   --verbose   the gateway's whole log, not only its warnings
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startGateway } from './lib/gateway-child.mjs';
import { bold, fail, green, red, say, step } from './lib/lines.mjs';
import { onStopSignal } from './lib/stop-signals.mjs';
import { ROOT, installIfNeeded, nodeFault } from './lib/toolchain.mjs';
import { prepareTrial } from './lib/trial.mjs';

/** What tsc says in watch mode after each build. */
const BUILT = /Found (\d+) errors?\. Watching for file changes\./;
const STATUS = /(Starting|File change detected\. Starting)( incremental)? compilation/;
/** The dashboard is below /dashboard/; the gateway answers everything else. */
const GATEWAY_PATHS = '^/(?!dashboard/)';

const fault = nodeFault();
if (fault) fail(fault);
process.umask(0o022);

/** @type {(() => unknown)[]} what has been started, in order */
const started = [];
let stopping = false;
onStopSignal(stop);

try {
  const dotenv = join(ROOT, '.env');
  if (existsSync(dotenv)) process.loadEnvFile(dotenv);
  await installIfNeeded(step);
  const place = await prepareTrial({ dataDir: join(ROOT, '.data'), log: step });
  started.push(place.stop);
  if (!process.argv.includes('--verbose')) place.env.LOG_LEVEL ??= 'warn';
  void place.databaseExited.then((error) => error && !stopping && fail(error.message));

  step('Compiling the API');
  await watchBuilds(restarting(place));
  const dashboard = await serveDashboard(place.url);
  if (!stopping) showUrls(place.url, dashboard);
} catch (error) {
  if (!stopping) fail(error instanceof Error ? error.message : String(error));
}

/**
 * Replaces the running gateway by the one in dist/. One that does not start leaves its reason in the terminal, and the next
 * build tries again.
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
  // A build that ends while the gateway starts is the one to run next.
  return () => {
    again = restart !== null;
    return (restart ??= run());
  };
}

/** Resolves when the first build without an error has been taken up. @param {() => Promise<void>} onBuilt */
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
      else if (errors) say(`${red('✗')} ${errors} to mend; the gateway goes on as it was`);
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
  say(`  Dashboard   ${dashboard}   a change shows at once`);
  say(`  API         ${gateway}   restarts when a file of apps/api or libs changes`);
  say('  Data        .data/, as with npm start');
  say();
  say('  Ctrl-C stops everything.');
}

/** A second signal does not wait. */
async function stop() {
  if (stopping) process.exit(130);
  stopping = true;
  for (const end of started.reverse()) await end();
  process.exit(0);
}
