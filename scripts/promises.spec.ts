import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A promise is a row of a table that has a column of tests, or that stands below a heading with a test. A test is a
 * file in backticks, with the names of its tests in quotes if one of many is meant.
 */
const PAGES = ['SECURITY.md', 'docs/trust.md'];
const TEST = /`([\w./-]+\.(?:(?:e2e|spec)\.tsx?|mjs))`(?: \([^)]*\))?(?:: ("[^"]+"(?:, "[^"]+")*))?/g;
/** The first column of tables of promises. Other tables list limits, encodings, or items of a standard. */
const COLUMNS = ['Promise', 'Fault', 'Attacker'];

const sources = ['apps', 'libs', 'scripts', 'test', 'benchmarks'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !/(?:^|\/)(?:node_modules|dist)\//.test(path)),
);
const filesNamed = (name: string): string[] => sources.filter((path) => path === name || path.endsWith(`/${name}`));

interface Promised {
  row: string;
  tests: { file: string; names: string[] }[];
}

function testsIn(text: string): Promised['tests'] {
  return [...text.matchAll(TEST)].map(([, file, names = '']) => ({
    file,
    names: [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
  }));
}

function promisesIn(page: string): Promised[] {
  const promises: Promised[] = [];
  let heading = '';
  let columns: string[] = [];
  for (const line of readFileSync(page, 'utf8').split('\n')) {
    if (line.startsWith('#')) heading = line;
    if (!line.startsWith('|')) {
      columns = [];
      continue;
    }
    const cells = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    if (columns.length === 0) {
      columns = cells;
    } else if (COLUMNS.includes(columns[0]) && !/^-+$/.test(cells[0])) {
      const at = columns.findIndex((column) => column.startsWith('Test'));
      const own = testsIn(at < 0 ? heading : cells[at]);
      const isTheSame = at >= 0 && cells[at].startsWith('the same');
      promises.push({ row: line, tests: isTheSame ? [...promises.at(-1)!.tests, ...own] : own });
    }
  }
  return promises;
}

/** Whether the file has a test, or a group of tests, of this name. */
function hasTest(file: string, name: string): boolean {
  return filesNamed(file)
    .map((path) => readFileSync(path, 'utf8'))
    .some((source) => ["'", '`', '"'].some((quote) => source.includes(`${quote}${name}${quote}`)));
}

describe.each(PAGES)('each promise of %s', (page) => {
  const promises = promisesIn(page);

  it('names a test', () => {
    expect(promises.length).toBeGreaterThan(20);
    expect(promises.filter(({ tests }) => tests.length === 0).map(({ row }) => row)).toEqual([]);
  });

  it('names only tests that exist', () => {
    const named = promises.flatMap(({ tests }) => tests);
    expect(named.filter(({ file }) => filesNamed(file).length === 0)).toEqual([]);
    const gone = named.flatMap(({ file, names }) =>
      names.filter((name) => !hasTest(file, name)).map((name) => `${file}: ${name}`),
    );
    expect(gone).toEqual([]);
  });
});

it('each promise at the top of README.md leads to the tests that prove it', () => {
  const [introduction] = readFileSync('README.md', 'utf8').split('\n## ');
  const [, ...promises] = introduction.split(/\n(?=- )/);
  expect(promises.length).toBe(4);
  // references.spec.ts follows the links.
  expect(promises.filter((promise) => !/\]\(docs\/trust\.md#[\w-]+\)/.test(promise))).toEqual([]);
});
