import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { inSteps } from './migrations/steps.js';

/**
 * Raise this when a file in `functions` changes. During an upgrade a process of the earlier release may start again. It
 * has a lower version, so it leaves the newer texts alone. `npm run schema` checks that it was raised.
 */
export const FUNCTIONS_VERSION = 8;

const DIRECTORY = new URL('./functions/', import.meta.url);
/** Bodies of functions are indented, or have no line that begins so. */
const STATEMENT = /^(?=CREATE |DROP |DO \$\$)/m;
const COMMENTS_AT_THE_END = /(?:\n(?:--[^\n]*)?)+$/;

/** Creates a function or a trigger, or drops one. */
interface Statement {
  name: string;
  sql: string;
  hash: string;
}

/** The statements of all files, in the order of the names of the files. */
export function readFunctions(): Statement[] {
  const files = readdirSync(DIRECTORY).filter((file) => file.endsWith('.sql'));
  const texts = files.sort().map((file) => readFileSync(new URL(file, DIRECTORY), 'utf8').replaceAll('\r\n', '\n'));
  const statements = texts.flatMap((text) => text.split(STATEMENT).slice(1));
  if (statements.length === 0) throw new Error(`No functions in ${DIRECTORY.pathname}: build again`);
  return statements.map((statement) => {
    const sql = statement.replace(COMMENTS_AT_THE_END, '');
    return { name: statementName(sql), sql, hash: createHash('sha256').update(sql).digest('hex') };
  });
}

function statementName(sql: string): string {
  const [, kind, name] = /^CREATE OR REPLACE (FUNCTION|TRIGGER) (\w+)/.exec(sql) ?? [];
  return name === undefined ? sql : `${kind.toLowerCase()} ${name}`;
}

/**
 * Runs the statements whose text has changed, each in a transaction of its own: a trigger locks its table. A migration
 * that drops or rebuilds a table deletes the rows of `function_texts`, so that this creates its triggers again.
 */
export async function createFunctions(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner();
  const { attempt } = inSteps(runner);
  try {
    const stored = (await runner.query('SELECT name, hash, version FROM function_texts')) as (Statement & {
      version: number;
    })[];
    if (stored.some(({ version }) => version > FUNCTIONS_VERSION)) return;
    const hashes = new Map(stored.map(({ name, hash }) => [name, hash]));
    for (const { name, sql, hash } of readFunctions()) {
      if (hashes.get(name) === hash) continue;
      await attempt(async () => {
        await runner.query(sql);
        await runner.query(
          `INSERT INTO function_texts (name, hash, version) VALUES ($1, $2, $3)
           ON CONFLICT (name) DO UPDATE SET hash = EXCLUDED.hash, version = EXCLUDED.version`,
          [name, hash, FUNCTIONS_VERSION],
        );
      });
    }
  } finally {
    await runner.release();
  }
}
