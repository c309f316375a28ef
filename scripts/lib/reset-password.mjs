/**
 * `agent-gateway reset-password <email>`: runs the gateway's program on the database of DATABASE_URL or
 * DATABASE_URL_FILE, or of the trial.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { startPostgres } from './postgres.mjs';
import { ROOT } from './toolchain.mjs';

/**
 * @param {{dataDir: string, args: string[], log: (line: string) => void}} options
 * @returns {Promise<number>} the exit code
 */
export async function resetPassword({ dataDir, args, log }) {
  const given = Boolean(process.env.DATABASE_URL || process.env.DATABASE_URL_FILE);
  if (!given && !existsSync(dataDir)) throw new Error(`Set DATABASE_URL: there is no trial in ${dataDir}`);
  // If a trial is running, this joins its server and leaves it running.
  const postgres = given ? null : await startPostgres({ dataDir, durable: true, log });
  try {
    const program = join(ROOT, 'dist/apps/api/src/reset-password.js');
    const env = given ? process.env : { ...process.env, DATABASE_URL: postgres?.url };
    const child = spawn(process.execPath, [program, ...args], { env, stdio: 'inherit' });
    const [code] = /** @type {[number | null]} */ (await once(child, 'close'));
    return code ?? 1;
  } finally {
    await postgres?.stop();
  }
}
