/**
 * The secrets of the trial mode: created once, stored in a file that only its owner can read. Uses only node:
 * built-ins.
 */
import { randomBytes } from 'node:crypto';
import { readIfExists, readOrCreate, writeWhole } from './files.mjs';

/**
 * @typedef {object} Secrets
 * @property {string} JWT_SECRET
 * @property {string} ENCRYPTION_SECRET
 * @property {string} ENCRYPTION_SALT
 * @property {string} SETUP_TOKEN needed for the first account where the gateway can be reached from other machines
 */

/** @type {readonly (keyof Secrets)[]} */
const NAMES = ['JWT_SECRET', 'ENCRYPTION_SECRET', 'ENCRYPTION_SALT', 'SETUP_TOKEN'];
/** Without these, the stored data can't be decrypted. */
const IRREPLACEABLE = ['ENCRYPTION_SECRET', 'ENCRYPTION_SALT'];

/**
 * Reads the secrets and creates missing ones, but never a second encryption secret for a database with data in it.
 * @param {{file: string, databaseHasData: () => Promise<boolean>}} options
 * @returns {Promise<Secrets>}
 */
export async function loadSecrets({ file, databaseHasData }) {
  const text = readIfExists(file);
  const kept = parse(file, text);
  const missing = NAMES.filter((name) => !kept[name]);
  if (missing.length === 0) return /** @type {Secrets} */ (kept);
  if (missing.some((name) => IRREPLACEABLE.includes(name)) && (await databaseHasData())) {
    throw new Error(
      `${file} does not have ${missing.join(', ')}, but the database has data that was encrypted with it. ` +
        'Put the file back, or set these variables to the earlier values. To start afresh, remove the database as well.',
    );
  }
  const complete = { ...kept, ...Object.fromEntries(missing.map((name) => [name, newSecret()])) };
  const content = JSON.stringify(complete, null, 2);
  // Two parallel first starts must get the same secrets.
  if (text === null)
    return /** @type {Secrets} */ (
      parse(
        file,
        readOrCreate(file, () => content),
      )
    );
  writeWhole(file, content);
  return /** @type {Secrets} */ (complete);
}

function newSecret() {
  return randomBytes(32).toString('hex');
}

/** @returns {Partial<Secrets>} */
function parse(/** @type {string} */ file, /** @type {string | null} */ text) {
  if (text === null) return {};
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${file} is damaged: restore it from a copy. It holds the key to the stored credentials.`);
  }
  return value;
}
