/**
 * `npm test`: installs what it needs and runs the tests on a real PostgreSQL that it starts itself. `npm run drills`
 * does the same with the tests that take long. Arguments go to Jest. The last line is `N passed, N failed`.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readIfExists } from './lib/files.mjs';
import { fail, say, step, yellow } from './lib/lines.mjs';
import { ROOT, buildIfNeeded, installIfNeeded, nodeFault, runToEnd } from './lib/toolchain.mjs';

const DRILLS = '--drills';
const args = process.argv.slice(2).filter((arg) => arg !== DRILLS);
/** The projects in jest.config.mjs, and which of them need a browser. */
const [OURS, IN_BROWSER] = process.argv.includes(DRILLS)
  ? [['drills', 'browser-drills'], 'browser-drills']
  : [['unit', 'e2e', 'browser'], 'browser'];
const ci = process.env.CI === 'true';
const report = join(ROOT, '.tmp', `jest-${process.pid}.json`);

const fault = nodeFault();
if (fault) fail(fault);

let jestFault = '';
try {
  await installIfNeeded(step);
  const projects = await selectProjects();
  // The browser tests and one smoke test run the build in dist/.
  await buildIfNeeded(step);
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  await runToEnd(
    process.execPath,
    [join(ROOT, 'node_modules/jest/bin/jest.js'), '--json', `--outputFile=${report}`, ...args, ...projects],
    // The report goes to the file; otherwise Jest would also print it.
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
} catch (error) {
  jestFault = error instanceof Error ? error.message : String(error);
}
process.exitCode = summarise();

/** Without a browser the other tests are still useful. In CI that would hide a gap. */
async function selectProjects() {
  if (args.some((arg) => arg.startsWith('--selectProjects'))) return [];
  const { findChromium } = await import('./lib/chromium.mjs');
  // After the other arguments: Jest would take what follows for the name of a project.
  if (await findChromium()) return ['--selectProjects', ...OURS];
  const advice = 'No Chromium for the browser tests: run `npx playwright install chromium`, or set CHROMIUM_PATH.';
  if (ci) throw new Error(advice);
  say(yellow(`\n! ${advice}\n! The browser tests are NOT run.\n`));
  return ['--selectProjects', ...OURS.filter((project) => project !== IN_BROWSER)];
}

/** @returns {number} the exit code */
function summarise() {
  const text = readIfExists(report);
  rmSync(report, { force: true });
  const result = text === null ? null : JSON.parse(text);
  const passed = result?.numPassedTests ?? 0;
  const skipped = (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0);
  // A file that could not be loaded counts as a failed test, and so does a run that failed in another way.
  let failed = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0);
  if (failed === 0 && (jestFault || passed === 0)) {
    say(`\n${jestFault || 'No test ran.'}`);
    failed = 1;
  }
  say(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failed === 0 ? 0 : 1;
}
