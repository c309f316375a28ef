/** Reads `.env`, which people write with any editor. Uses only node: built-ins. */
import process from 'node:process';
import { parseEnv } from 'node:util';
import { readText } from './files.mjs';

/**
 * Sets what the environment does not have yet. Node's own `loadEnvFile` takes a byte order mark for a part of the first
 * name, and reads nothing of UTF-16, without a word.
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 */
export function loadDotenv(file, env = process.env) {
  for (const [name, value] of Object.entries(parseEnv(readText(file)))) env[name] ??= value;
}
