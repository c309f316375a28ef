/**
 * Small files that are always either complete or absent, even after a crash during a write, and the ends of logs.
 * Uses only node: built-ins.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';

/** Replaces the file. @param {string} file @param {string} content */
export function writeWhole(file, content) {
  const partial = writePartial(file, content);
  fs.renameSync(partial, file);
  syncDirectory(dirname(file));
}

/**
 * If several processes create the same file, one wins, and all return its content.
 * @param {string} file
 * @param {() => string} content
 * @returns {string}
 */
export function readOrCreate(file, content) {
  const existing = readIfExists(file);
  if (existing !== null) return existing;
  const partial = writePartial(file, content());
  try {
    // Unlike rename, link does not replace a file that another process has created meanwhile.
    fs.linkSync(partial, file);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  } finally {
    fs.unlinkSync(partial);
  }
  syncDirectory(dirname(file));
  return fs.readFileSync(file, 'utf8');
}

/** @param {string} file @returns {string | null} */
export function readIfExists(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * @param {string} file
 * @param {number} lines
 * @param {number} [from] bytes that an earlier run has written
 * @returns {string} the last lines of a log
 */
export function tail(file, lines, from = 0) {
  const text = fs.existsSync(file) ? fs.readFileSync(file).subarray(from).toString('utf8') : '';
  return text.trimEnd().split('\n').slice(-lines).join('\n');
}

function writePartial(/** @type {string} */ file, /** @type {string} */ content) {
  const partial = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = fs.openSync(partial, 'wx', 0o600);
  try {
    fs.writeFileSync(handle, content);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
  return partial;
}

/** A new name survives a crash only after its directory is synced, too. Windows cannot open directories. */
function syncDirectory(/** @type {string} */ directory) {
  if (process.platform === 'win32') return;
  const handle = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * The text of a file that people write with any editor, without a byte order mark.
 * @param {string} file
 * @returns {string}
 */
export function readText(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.includes(0)) throw new Error(`${file} is in UTF-16: save it as UTF-8`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error(`${file} is not in UTF-8: save it as UTF-8`, { cause: error });
  }
}
