import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFunctions } from './functions.js';

const MIGRATIONS = 'libs/database/src/migrations';
/** Earlier migrations created functions and triggers themselves. */
const SINCE = '1764310000000';

it('has one statement for each name', () => {
  const names = readFunctions().map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

it('gives a statement the same hash when only the comment of the next one changes', () => {
  expect(readFunctions().filter(({ sql }) => !/;$/.test(sql))).toEqual([]);
});

/** A way back gives a trigger its earlier condition, where that reads a column that goes. */
const readUp = (file: string): string => readFileSync(join(MIGRATIONS, file), 'utf8').split('async down(')[0];

it('is the only place of new functions and triggers: migrations change tables and rows', () => {
  const found = readdirSync(MIGRATIONS)
    .filter((file) => file > SINCE && /^\d/.test(file))
    .filter((file) => /CREATE[^;]*\b(?:FUNCTION|TRIGGER)\b/.test(readUp(file)));
  expect(found).toEqual([]);
});
