/**
 * Checks two promises about the built dashboard: it contains no server code, and a phone loads little code up to the
 * first decision. `npm run pageweight` measures the same on the wire, with headers and data.
 */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail, say } from './lib/lines.mjs';
import { ROOT } from './lib/toolchain.mjs';

const DASHBOARD = join(ROOT, 'dist/dashboard');
const SERVER_CODE = ['@nestjs', 'typeorm', 'reflect-metadata', 'class-validator'];
/** With it, `npm run pageweight` stays below its budget. */
const MAX_BYTES = 191_000;
/** What a phone loads from the login to the first decision: entries, and a group of `vite.config.ts`. */
const LOADED = [
  'index.html',
  'src/features/accounts/login-page.tsx',
  'src/app/service-worker.ts',
  'src/features/approvals/page.tsx',
  'offer',
  'src/features/approvals/evidence.tsx',
  'decided',
];

/** @typedef {{file: string, name?: string, css?: string[], imports?: string[]}} Chunk */
/** @type {Record<string, Chunk>} */
const manifest = JSON.parse(readFileSync(join(DASHBOARD, '.vite/manifest.json'), 'utf8'));

const scripts = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
for (const name of scripts) {
  const text = readFileSync(join(DASHBOARD, name), 'utf8');
  const found = SERVER_CODE.filter((word) => text.includes(word));
  if (found.length > 0)
    fail(`dist/dashboard/${name} contains ${found.join(', ')}: an import that should be a type import`);
}

const findKey = (/** @type {string} */ wanted) =>
  Object.keys(manifest).find((key) => key === wanted || manifest[key].name === wanted) ?? '';
const unknown = LOADED.filter((wanted) => !findKey(wanted));
if (unknown.length > 0) fail(`The build has no ${unknown.join(', ')}: update scripts/check-bundle.mjs`);

/** @type {Set<string>} */
const files = new Set();
LOADED.map(findKey).forEach(load);
const sizes = [...files].map((file) => statSync(join(DASHBOARD, `${file}.br`)).size);
const bytes = sizes.reduce((sum, size) => sum + size, 0);
const weight =
  `Up to the first decision, a phone loads ${(bytes / 1000).toFixed(1)} kB of code in ${files.size} files ` +
  `(Brotli; at most ${MAX_BYTES / 1000})`;
if (bytes > MAX_BYTES) fail(weight);
say(`${weight}; no server code in ${scripts.length} files`);

/** Adds the files of a chunk and of everything that it imports statically. */
function load(/** @type {string} */ key) {
  const { file, css = [], imports = [] } = manifest[key];
  if (files.has(file)) return;
  for (const each of [file, ...css]) files.add(each);
  imports.forEach(load);
}
