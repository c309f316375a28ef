/** The password file (PostgreSQL's manual, 34.16). Depends on node: built-ins. */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseUrlError } from './database-url-error.js';

interface Login {
  host: string;
  port: number;
  database: string;
  user: string;
}

/** The directories in which PostgreSQL's builds put their socket. Their entries say `localhost`. */
const SOCKET_DIRECTORIES = ['/tmp', '/run/postgresql', '/var/run/postgresql'];

/**
 * @param file null: the default one, which may be missing
 * @returns null: no line fits
 */
export function passwordFrom(file: string | null, { host, port, database, user }: Login): string | null {
  const text = read(file ?? join(homedir(), '.pgpass'), file !== null);
  const name = SOCKET_DIRECTORIES.includes(host) ? 'localhost' : host;
  const wanted = [name, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    // A backslash before a colon or a backslash belongs to the value.
    const fields = line.match(/(?:[^:\\]|\\.|\\$)*(?::|$)/gs) ?? [];
    const values = fields.map((field) => field.replace(/:$/, '').replace(/\\(.)/gs, '$1'));
    if (wanted.every((value, index) => fields[index] === '*:' || values[index] === value)) return values[4] ?? null;
  }
  return null;
}

function read(file: string, isNamed: boolean): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) {
    if (isNamed) throw new DatabaseUrlError('has a passfile that can’t be read');
    return '';
  }
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    if (isNamed) throw new DatabaseUrlError('has a passfile that other users can read: chmod 600 makes it private');
    return '';
  }
  return readFileSync(file, 'utf8');
}
