import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { inSteps } from './migrations/steps.js';

const DIRECTORY = new URL('./functions/', import.meta.url);

/** The functions and triggers of one part of the gateway. */
interface FunctionFile {
  name: string;
  sql: string;
  hash: string;
}

export const readFunctionFiles = (): FunctionFile[] =>
  readdirSync(DIRECTORY)
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, DIRECTORY), 'utf8');
      return { name, sql, hash: createHash('sha256').update(sql).digest('hex') };
    });

/**
 * Creates the functions and triggers of each file that this database has never had with this text. During an upgrade an
 * instance of the earlier release may start again. Its texts are in the history, so it leaves the newer ones alone.
 */
export async function createFunctions(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner();
  const { attempt } = inSteps(runner);
  try {
    for (const { name, sql, hash } of readFunctionFiles()) {
      await attempt(async () => {
        const [{ isKnown }] = (await runner.query(
          'SELECT EXISTS (SELECT FROM function_texts WHERE file = $1 AND hash = $2) AS "isKnown"',
          [name, hash],
        )) as [{ isKnown: boolean }];
        if (isKnown) return;
        await runner.query(sql);
        await runner.query('INSERT INTO function_texts (file, hash, created_at) VALUES ($1, $2, now())', [name, hash]);
      });
    }
  } finally {
    await runner.release();
  }
}
