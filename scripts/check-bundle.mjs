/**
 * Checks two promises about the built dashboard: it contains no server code, and its inbox loads at most 180 kB of
 * JavaScript (gzip).
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fail, say } from './lib/lines.mjs';
import { ROOT } from './lib/toolchain.mjs';

const DASHBOARD = join(ROOT, 'dist/dashboard');
const SERVER_CODE = ['@nestjs', 'typeorm', 'reflect-metadata', 'class-validator'];
const INBOX_MAX_BYTES = 180_000;
/** The chunks that the route /approvals loads. */
const INBOX = 'src/features/approvals/page.tsx';

/** @typedef {{file: string, isEntry?: boolean, imports?: string[], dynamicImports?: string[]}} Chunk */
/** @type {Record<string, Chunk>} */
const manifest = JSON.parse(readFileSync(join(DASHBOARD, '.vite/manifest.json'), 'utf8'));

const scripts = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
for (const name of scripts) {
  const text = readFileSync(join(DASHBOARD, name), 'utf8');
  const found = SERVER_CODE.filter((word) => text.includes(word));
  if (found.length > 0)
    fail(`dist/dashboard/${name} contains ${found.join(', ')}: an import that should be a type import`);
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
if (!entry || !manifest[INBOX]) fail(`The build has no ${INBOX}: update scripts/check-bundle.mjs`);

/** @type {Set<string>} */
const loaded = new Set();
[entry, INBOX].forEach(load);
const bytes = [...loaded].reduce(
  (sum, key) => sum + gzipSync(readFileSync(join(DASHBOARD, manifest[key].file))).length,
  0,
);
const weight = `The inbox loads ${(bytes / 1000).toFixed(1)} kB of JavaScript (gzip; at most ${INBOX_MAX_BYTES / 1000})`;
if (bytes > INBOX_MAX_BYTES) fail(weight);
say(`${weight}; no server code in ${scripts.length} files`);

/** Adds a chunk and everything that it imports statically. */
function load(/** @type {string} */ key) {
  if (loaded.has(key)) return;
  loaded.add(key);
  manifest[key].imports?.forEach(load);
}
