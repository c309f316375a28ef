/**
 * Encrypts stored values again: with the current secret, and bound to their rows. Each step is one short transaction
 * that leaves every value readable, so it can be stopped anywhere, run twice, and run while instances work. See
 * docs/reference/dashboard-api.md#secret-rotation.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { inTransaction, sqlState } from '#database';
import { UNBOUND, type CredentialCipher } from './credential-cipher.js';
import type { EncryptedColumns } from './encrypted-columns.js';

/** Begins the name of the connection that each running instance keeps. The fingerprint of its key follows. */
export const INSTANCE_NAME = 'agent-gateway-events';

/** Few enough that other transactions don't notice the locks. */
const BATCH = 100;
const PAUSE_MS = 50;
/** A waiting ALTER TABLE holds up everyone else, so it waits only this long. */
const SEAL_LOCK_MS = 200;
const SEAL_ATTEMPTS = 20;

type Row = Record<string, string | number | null>;

export interface Reencrypted {
  /** How many rows were rewritten. */
  rewritten: number;
  /** The keys of rows that none of the secrets can decrypt. They stay as they are. */
  unreadable: number[];
}

/**
 * Goes through a table until nothing is left to rewrite.
 * @param onBatch gets the number of rows that were rewritten so far
 */
export async function reencrypt(
  source: DataSource,
  cipher: CredentialCipher,
  columns: EncryptedColumns,
  onBatch: (rewritten: number) => void = () => undefined,
): Promise<Reencrypted> {
  for (let rewritten = 0; ;) {
    const pass = await passOver(source, cipher, columns, (count) => onBatch((rewritten += count)));
    if (pass.found === 0) return { rewritten, unreadable: pass.unreadable };
    // Rows that another transaction has locked are left for the next pass.
    if (pass.written === 0) await delay(PAUSE_MS);
  }
}

/** Makes the database refuse values that are not bound. Does nothing while there still are some. */
export async function refuseUnbound(source: DataSource, { table, columns }: EncryptedColumns): Promise<void> {
  const bound = columns.map((column) => `coalesce(${column}, '') NOT LIKE '${UNBOUND}%'`).join(' AND ');
  for (let attempt = 1; !(await isSealed(source, table)); attempt++) {
    const left: unknown[] = await source.query(`SELECT FROM ${table} WHERE NOT (${bound}) LIMIT 1`);
    if (left.length > 0) return;
    try {
      await source.transaction(async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = ${SEAL_LOCK_MS}`);
        await tx.query(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_bound CHECK (${bound})`);
      });
    } catch (error) {
      // 55P03: the lock was not available. 42710: another instance was faster.
      if (attempt >= SEAL_ATTEMPTS || !['55P03', '42710'].includes(sqlState(error) ?? '')) throw error;
      await delay(PAUSE_MS);
    }
  }
}

export async function isSealed(source: DataSource, table: string): Promise<boolean> {
  const found: unknown[] = await source.query('SELECT FROM pg_constraint WHERE conname = $1', [`${table}_bound`]);
  return found.length > 0;
}

/** How many instances are running that encrypt with another secret. */
export async function instancesWithOtherKeys(source: DataSource, { fingerprint }: CredentialCipher): Promise<number> {
  const [{ count }]: { count: number }[] = await source.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE $1 AND application_name <> $2`,
    [`${INSTANCE_NAME}%`, `${INSTANCE_NAME} ${fingerprint}`],
  );
  return count;
}

async function passOver(
  source: DataSource,
  cipher: CredentialCipher,
  encrypted: EncryptedColumns,
  onBatch: (written: number) => void,
): Promise<{ found: number; written: number; unreadable: number[] }> {
  const { table, key, columns, row } = encrypted;
  const names = [...new Set([key, ...row, ...columns])].join(', ');
  const unreadable: number[] = [];
  let [found, written, after] = [0, 0, 0];
  for (;;) {
    const rows: Row[] = await source.query(
      `SELECT ${names} FROM ${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT ${BATCH}`,
      [after],
    );
    if (rows.length === 0) return { found, written, unreadable };
    after = Number(rows.at(-1)![key]);
    const changes: Row[] = [];
    for (const each of rows) {
      try {
        const change = reencryptRow(cipher, encrypted, each);
        if (change) changes.push(change);
      } catch {
        unreadable.push(Number(each[key]));
      }
    }
    if (changes.length === 0) continue;
    const count = await write(source, encrypted, changes);
    found += changes.length;
    written += count;
    onBatch(count);
  }
}

/** The row's key with the old and new values; null if nothing changes. @throws Error if a value can't be decrypted */
function reencryptRow(cipher: CredentialCipher, { key, columns, toBinding }: EncryptedColumns, row: Row): Row | null {
  const binding = toBinding(row as Record<string, string | number>);
  const change: Row = { key: row[key] };
  let changed = false;
  for (const column of columns) {
    const stored = row[column] as string | null;
    const renewed = stored === null ? null : cipher.renew(stored, binding);
    change[`old_${column}`] = stored;
    change[`new_${column}`] = renewed ?? stored;
    changed ||= renewed !== null;
  }
  return changed ? change : null;
}

/**
 * Writes only rows that still have the old values. Never waits for a lock, so it can't take part in a deadlock.
 * @returns how many
 */
function write(source: DataSource, { table, key, columns }: EncryptedColumns, changes: Row[]): Promise<number> {
  const fields = columns.map((column) => `old_${column} text, new_${column} text`).join(', ');
  return inTransaction(source, async (tx) => {
    // Without this, the triggers would count the change of a service, and its requests would be assessed again.
    await tx.query(`SELECT set_config('agent_gateway.same_values', 'on', true)`);
    const [, written]: [unknown, number] = await tx.query(
      `UPDATE ${table} t SET ${columns.map((column) => `${column} = c.new_${column}`).join(', ')}
       FROM json_to_recordset($1) AS c (key integer, ${fields})
       WHERE t.${key} = c.key AND ${columns.map((column) => `t.${column} IS NOT DISTINCT FROM c.old_${column}`).join(' AND ')}
         AND t.${key} IN (SELECT ${key} FROM ${table} WHERE ${key} = ANY($2) ORDER BY ${key} FOR NO KEY UPDATE SKIP LOCKED)`,
      [JSON.stringify(changes), changes.map((change) => change.key)],
    );
    return written;
  });
}
