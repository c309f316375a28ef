/**
 * `npm run demo`: the trial mode with a sample API behind it, and a story that shows what the gateway does. `-- --auto`
 * approves by itself and exits; `-- --data-dir=DIR` keeps the data in DIR instead of .data/demo.
 */
import { join, resolve } from 'node:path';
import process from 'node:process';
import { startReceiver } from './demo/receiver.mjs';
import { prepareSetting } from './demo/setting.mjs';
import { startSampleApi } from './demo/sample-api.mjs';
import { tell } from './demo/story.mjs';
import { bold, fail, green, say, step } from './lib/lines.mjs';
import { onStopSignal } from './lib/stop-signals.mjs';
import { ROOT, buildIfNeeded, installIfNeeded, nodeFault } from './lib/toolchain.mjs';
import { startTrial } from './lib/trial.mjs';

/**
 * Passes on only variables that belong to no installation: the demo must not touch a real database or use its secrets.
 */
const KEPT = ['PATH', 'SystemRoot', 'TEMP', 'TMPDIR', 'PORT', 'LOG_LEVEL', 'LLM_BASE_URL', 'LLM_API_KEY', 'LLM_MODEL'];

const fault = nodeFault();
if (fault) fail(fault);
process.umask(0o022);
const auto = process.argv.includes('--auto');
const chosenDir = process.argv.find((argument) => argument.startsWith('--data-dir='))?.slice('--data-dir='.length);
const dataDir = chosenDir ? resolve(chosenDir) : join(ROOT, '.data', 'demo');

/** @type {import('./lib/trial.mjs').Trial | undefined} */
let trial;
/** @type {import('./demo/sample-api.mjs').SampleApi | undefined} */
let api;
/** @type {import('./demo/receiver.mjs').Receiver | undefined} */
let receiver;
let stopping = false;
onStopSignal(async () => {
  if (stopping) return trial ? trial.kill() : process.exit(130);
  say();
  await stop();
  process.exit(0);
});

try {
  await installIfNeeded(step);
  await buildIfNeeded(step);
  api = await startSampleApi();
  receiver = await startReceiver();
  const env = {
    ...Object.fromEntries(KEPT.map((name) => [name, process.env[name]])),
    PRIVATE_TARGET_ALLOWLIST: api.hostAndPort,
    PRIVATE_CHANNEL_ALLOWLIST: receiver.hostAndPort,
  };
  trial = await startTrial({ dataDir, env, log: step });
  step(`Gateway at ${trial.url}, sample shop at ${api.baseUrl}`);
  const setting = await prepareSetting({ url: trial.url, setupToken: trial.env.SETUP_TOKEN, dataDir, api, receiver });
  const failure = trial.exited.then((error) => {
    throw error ?? new Error('stopped');
  });
  const ending = await Promise.race([tell({ url: trial.url, api, receiver, setting, auto }), failure]);
  await showEnd(ending, setting);
  if (auto) await stop();
  else await failure;
} catch (error) {
  if (!stopping) {
    await stop();
    fail(error instanceof Error ? error.message : String(error));
  }
}

/** @param {import('./demo/story.mjs').Ending} ending @param {import('./demo/setting.mjs').Setting} setting */
async function showEnd(ending, { account, supportBot }) {
  const { url } = /** @type {import('./lib/trial.mjs').Trial} */ (trial);
  say();
  if (ending === 'executed')
    say(`${green('✓')} ${bold('The customer was deleted once, after a human had approved it.')}`);
  else say(`${green('✓')} ${bold('The customer was not deleted: without an approval nothing is sent.')}`);
  if (auto) return;
  say();
  say(`  Everything keeps running until Ctrl-C. See the audit log:  ${bold(`${url}/dashboard`)}`);
  say(`  (${account.email}, password ${account.password})`);
  say('  Or act as the agent:');
  say();
  say(`     curl -i ${url}/proxy -H 'Agent-Key: ${supportBot.key}' -H 'Content-Type: application/json' \\`);
  say(`       -d '{"targetUrl": "${api?.baseUrl}/customers", "method": "GET", "intent": "See who our customers are"}'`);
  say();
  say('  Or run an example, and approve its request:');
  say();
  say(`     GATEWAY_URL=${url} AGENT_KEY=${supportBot.key} node examples/octokit.mjs`);
}

async function stop() {
  if (stopping) return;
  stopping = true;
  await trial?.stop();
  await api?.stop();
  await receiver?.stop();
  if (trial) step(`Stopped. The data is kept in ${dataDir}`);
}
