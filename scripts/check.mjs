/**
 * `npm run check`: the quick half of `npm test`, without a database. Two steps run at a time. Each has a cache, so that
 * a second run looks at changed files only. The lint cache does not see that a type in another file has changed;
 * `.ci/run` has no cache.
 */
import process from 'node:process';
import { green, red, say } from './lib/lines.mjs';
import { npm } from './lib/toolchain.mjs';

const CACHE = 'node_modules/.cache';

/** Which script runs with which arguments. The slowest come first. @type {[script: string, args: string[]][]} */
const STEPS = [
  ['types', []],
  ['lint', ['--cache', '--cache-strategy', 'content', '--cache-location', `${CACHE}/eslint/`]],
  ['imports', ['--cache', `${CACHE}/dependency-cruiser`]],
  ['format:check', ['--cache']],
  ['test:unit', ['--onlyChanged']],
];

async function lane() {
  for (let next = STEPS.shift(); next !== undefined; next = STEPS.shift()) {
    const [script, args] = next;
    const startMs = performance.now();
    try {
      await npm(['run', '--silent', script, '--', ...args], { quiet: true });
      say(`${green('✓')} ${script}, ${Math.round((performance.now() - startMs) / 1000)} s`);
    } catch {
      say(`${red('✗')} ${script}`);
      process.exitCode = 1;
    }
  }
}

await Promise.all([lane(), lane()]);
