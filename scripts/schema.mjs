/** `npm run schema`: writes libs/database/schema.sql, the schema after all migrations. Builds if needed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { readIfExists } from './lib/files.mjs';
import { fail, step } from './lib/lines.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { functionsIn, hashOfAll, schemaText } from './lib/schema-text.mjs';
import { buildIfNeeded, ROOT } from './lib/toolchain.mjs';

const FILE = join(ROOT, 'libs/database/schema.sql');
await buildIfNeeded(step);
const built = (/** @type {string} */ file) => import(pathToFileURL(join(ROOT, 'dist/libs/database/src', file)).href);
const { parseConnection, migrate } = await built('index.js');
const { FUNCTIONS_VERSION, readFunctions } = await built('functions.js');

const functions = { version: FUNCTIONS_VERSION, hash: hashOfAll(readFunctions()) };
const before = functionsIn(readIfExists(FILE) ?? '');
if (before.hash !== functions.hash && before.version >= functions.version) {
  fail('A function has changed. Raise FUNCTIONS_VERSION in libs/database/src/functions.ts');
}
const postgres = await startPostgres({ durable: false });
try {
  await migrate(parseConnection(postgres.url));
  const client = new pg.Client({ connectionString: postgres.url, ssl: false });
  await client.connect();
  const query = async (/** @type {string} */ sql, /** @type {unknown[] | undefined} */ values) =>
    (await client.query(sql, values)).rows;
  const text = await schemaText(query, functions);
  // A written file would count as a change for the next build.
  if (text !== readIfExists(FILE)) writeFileSync(FILE, text);
  await client.end();
} finally {
  await postgres.stop();
}
