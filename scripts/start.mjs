#!/usr/bin/env node
/**
 * `npm start`, the trial mode: from a fresh clone to a running gateway, with only Node and npm. `-- --verbose` sends
 * the gateway's log to this terminal. `npx` runs the same from the package, which is installed and built: its data is
 * in the directory where it was started. `agent-gateway apply` configures a gateway that runs elsewhere,
 * `agent-gateway test` tests the rules of a configuration, and `agent-gateway reset-password <email>` sets a new
 * password of a person.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { apply } from './lib/apply.mjs';
import { loadDotenv } from './lib/dotenv.mjs';
import { bold, dim, fail, green, say, step, yellow } from './lib/lines.mjs';
import { resetPassword } from './lib/reset-password.mjs';
import { onStopSignal } from './lib/stop-signals.mjs';
import { ROOT, buildIfNeeded, installIfNeeded, nodeFault } from './lib/toolchain.mjs';
import { testPolicy } from './lib/test-policy.mjs';
import { startTrial } from './lib/trial.mjs';

// npm puts no lock file into a package.
const CHECKOUT = existsSync(join(ROOT, 'package-lock.json'));
const HOME = CHECKOUT ? ROOT : process.cwd();

const fault = nodeFault();
if (fault) fail(fault);
if (process.argv[2] === 'apply') process.exit(await apply(process.argv.slice(3)));
if (process.argv[2] === 'test') process.exit(await testPolicy(process.argv.slice(3)));
process.umask(0o022);

/** @type {import('./lib/trial.mjs').Trial | undefined} */
let trial;
let asked = false;
onStopSignal(stop);

try {
  const dotenv = join(HOME, '.env');
  if (existsSync(dotenv)) {
    loadDotenv(dotenv);
    step('Settings from .env (environment variables override them)');
  }
  if (CHECKOUT) {
    await installIfNeeded(step);
    await buildIfNeeded(step);
  }
  if (process.argv[2] === 'reset-password') {
    const args = process.argv.slice(3);
    process.exit(await resetPassword({ dataDir: join(HOME, '.data'), args, log: step }));
  }
  const starting = Date.now();
  trial = await startTrial({
    dataDir: join(HOME, '.data'),
    log: step,
    verbose: process.argv.includes('--verbose'),
  });
  if (asked) await stopTrial(trial);
  step(`Started in ${((Date.now() - starting) / 1000).toFixed(1)} s`);
  await showWhatNext(trial);
  const reason = await trial.exited;
  if (reason) {
    await trial.stop();
    fail(reason.message);
  }
} catch (error) {
  if (asked) process.exit(0);
  fail(error instanceof Error ? error.message : String(error));
}

/** The first signal stops everything in order, and waits for requests in flight. A second one does not wait. */
async function stop() {
  if (asked) return trial ? trial.kill() : process.exit(130);
  asked = true;
  if (trial) await stopTrial(trial);
}

/** @param {import('./lib/trial.mjs').Trial} started @returns {Promise<never>} */
async function stopTrial(started) {
  say();
  step('Stopping: requests in flight finish first (Ctrl-C again stops immediately)');
  await started.stop();
  step('Stopped. The data is kept in .data/');
  process.exit(0);
}

/** @param {import('./lib/trial.mjs').Trial} started */
async function showWhatNext({ url, env, model, logFile, reachableByOthers }) {
  const setup = /** @type {import('../libs/contracts/src/accounts.ts').SetupState} */ (
    await (await fetch(`${url}/auth/setup`)).json()
  );
  say();
  say(`${green('●')} ${bold('Agent Gateway is running')}`);
  say();
  say(`  Dashboard   ${bold(`${url}/dashboard`)}`);
  say(`  API         ${url}   ${dim(`(documentation at ${url}/docs)`)}`);
  say(`  Data        ${process.env.DATABASE_URL ? 'the database of DATABASE_URL; secrets in .data/' : '.data/'}`);
  if (!process.argv.includes('--verbose')) say(`  Log         ${logFile}`);
  say();
  say(bold('  Next steps'));
  if (setup.setupRequired) {
    say('  1. Open the dashboard and create the first account. Registration then closes for everyone else.');
    if (setup.setupTokenRequired && env.SETUP_TOKEN) {
      say(`     You need this setup token:  ${process.env.SETUP_TOKEN ? 'your SETUP_TOKEN' : env.SETUP_TOKEN}`);
    }
  } else {
    say('  1. Open the dashboard and log in with your account.');
  }
  say('  2. Connect an API: choose it from the list, for example GitHub, or enter its base URL; then its credentials.');
  say('  3. Add an agent that can use it, and copy its key, which is shown once.');
  say('  4. Act as the agent:');
  say();
  say('     export AGENT_KEY=agt_…');
  say(`     curl -i ${url}/proxy -H "Agent-Key: $AGENT_KEY" -H 'Content-Type: application/json' \\`);
  say(
    `       -d '{"targetUrl": "https://api.github.com/user", "method": "GET", "intent": "See whose account this is"}'`,
  );
  say();
  showModel(model, env);
  say();
  if (!reachableByOthers) say(dim('  Only this machine can reach the gateway. Set HOST=0.0.0.0 to open it to others.'));
  say(dim('  Ctrl-C stops everything.'));
}

/**
 * @param {import('./lib/trial.mjs').Model} model
 * @param {NodeJS.ProcessEnv} env
 */
function showModel(model, env) {
  if (!model.assumed) return say(`  Risk is assessed by ${model.name ?? 'the default model'} at ${model.baseUrl}.`);
  if (model.answers) return say(`  Risk is assessed by ${model.name} in Ollama on this machine.`);
  const threshold = Number(env.RISK_THRESHOLD ?? 0.5);
  const outcome = (/** @type {number} */ score) => (score < threshold ? 'is forwarded' : 'is held');
  say(`  ${yellow('!')} ${bold('No language model answers')} at ${model.baseUrl} (Ollama's usual address).`);
  say('    Until one does, the risk is the score of the method plus 0.3 (fail closed). With the threshold');
  say(
    `    ${threshold}, a GET (0.4) ${outcome(0.4)} and a POST (0.6) ${outcome(0.6)}. If a model times out, every request is held.`,
  );
  say('    To get one: install Ollama (https://ollama.com), run `ollama pull llama3.2`, and start again;');
  say('    or set LLM_BASE_URL, LLM_API_KEY and LLM_MODEL to any OpenAI-compatible API.');
}
