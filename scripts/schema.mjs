/** `npm run schema`: writes libs/database/schema.sql, the schema after all migrations. Builds if needed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { step } from './lib/lines.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { schemaText } from './lib/schema-text.mjs';
import { buildIfNeeded, ROOT } from './lib/toolchain.mjs';

await buildIfNeeded(step);
const { connectionOf, migrate } = await import(pathToFileURL(join(ROOT, 'dist/libs/database/src/index.js')).href);
const postgres = await startPostgres({ durable: false });
try {
  await migrate(connectionOf(postgres.url));
  const client = new pg.Client({ connectionString: postgres.url, ssl: false });
  await client.connect();
  const text = await schemaText(async (sql, values) => (await client.query(sql, values)).rows);
  await client.end();
  writeFileSync(join(ROOT, 'libs/database/schema.sql'), text);
} finally {
  await postgres.stop();
}
