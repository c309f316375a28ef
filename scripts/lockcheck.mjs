/**
 * Some registries lack the newest per-platform packages. `npm install` then silently omits them from the lock file, and
 * `npm ci` fails or leaves macOS users without them. So this script checks that the lock contains every optional
 * dependency.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fail, say } from './lib/lines.mjs';
import { ROOT } from './lib/toolchain.mjs';

/** @typedef {{optionalDependencies?: Record<string, string>}} Entry */
/** @type {Record<string, Entry>} */
const packages = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
const missing = Object.entries(packages).flatMap(([path, entry]) =>
  Object.keys(entry.optionalDependencies ?? {})
    .filter((name) => !isLocked(path, name))
    .map((name) => `${name} (of ${path.replace(/^.*node_modules\//, '')})`),
);
if (missing.length > 0)
  fail(`package-lock.json lacks ${missing.join(', ')}: pin the parent to a version that has all of them`);
say(`package-lock.json: contains every optional dependency of its ${Object.keys(packages).length} packages`);
process.exitCode = 0;

/** As Node resolves it: nested in the parent, or in any node_modules above. */
function isLocked(/** @type {string} */ parent, /** @type {string} */ name) {
  for (let at = parent; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]) return true;
    if (at === '' || !at.includes('/node_modules/')) return Boolean(packages[`node_modules/${name}`]);
  }
}
