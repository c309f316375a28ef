import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * A promise is a row of a table that begins with one of these columns. Its column of tests names files in backticks,
 * and after each file its tests in quotes, as the source writes them. `the same` is the first file of the row above.
 */
const COLUMNS = ['Promise', 'Fault', 'Attacker', 'Attack', 'Encoding'];
const PAGES = ['SECURITY.md', 'docs/trust.md'];
const TEST = /`([\w./-]+\.(?:(?:e2e|drill|spec)\.tsx?|mjs))`(?: \([^)]*\))?(?:: ("[^"]+"(?:, "[^"]+")*))?/g;

interface Named {
  file: string;
  names: string[];
}

const sources = ['apps', 'libs', 'scripts', 'test', 'benchmarks', 'evaluation'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !/(?:^|\/)(?:node_modules|dist)\//.test(path)),
);
const filesNamed = (name: string): string[] => sources.filter((path) => path === name || path.endsWith(`/${name}`));

const testsIn = (text: string): Named[] =>
  [...text.matchAll(TEST)].map(([, file, names = '']) => ({
    file,
    names: [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
  }));

/** The promises of a page, and all tests that the page names, also in prose. */
function readPage(page: string): { promises: { row: string; tests: Named[] }[]; named: Named[] } {
  const promises: { row: string; tests: Named[] }[] = [];
  const named: Named[] = [];
  let columns: string[] = [];
  // In prose, a name may go on in the next line.
  const lines = readFileSync(page, 'utf8').replace(/(?<!\n)\n(?![\n|#])/g, ' ');
  for (const row of lines.split('\n')) {
    const cells = row.startsWith('|') ? row.split('|').map((cell) => cell.trim()) : [];
    const isPromise = cells.length > 0 && COLUMNS.includes(columns[1]) && !/^-+$/.test(cells[1]);
    if (columns.length === 0 || cells.length === 0) columns = cells;
    if (isPromise) {
      const cell = cells[columns.findIndex((column) => column.startsWith('Test'))] ?? '';
      const tests = testsIn(cell.replace(/^the same/, `\`${promises.at(-1)?.tests.at(0)?.file}\``));
      promises.push({ row, tests });
      named.push(...tests);
    } else {
      named.push(...testsIn(row));
    }
  }
  return { promises, named };
}

const NAMING = /^(?:report\.check|(?:it|test|describe)(?:\.each[^]*[)`])?)$/;
const SKIPPING = /^(?:[xf](?:it|test|describe)|(?:it|test|describe)\.(?:skip|todo|only|failing))\b/;
/** Tables of cases whose keys are names of tests too: each case is one test. */
const CASES = ['ATTACKS', 'WRITERS'];

/** The names of the tests that run, of their groups, and of the checks of scenarios. */
function namesIn(text: string): string[] {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText(source);
      const name = node.arguments.at(0);
      if (SKIPPING.test(callee)) return;
      if (name !== undefined && NAMING.test(callee)) {
        if (ts.isStringLiteralLike(name)) names.push(name.text);
        if (ts.isTemplateExpression(name)) names.push(name.getText(source).slice(1, -1));
      }
    }
    if (ts.isVariableDeclaration(node) && CASES.includes(node.name.getText(source))) {
      const cases =
        node.initializer && ts.isObjectLiteralExpression(node.initializer) ? node.initializer.properties : [];
      for (const { name } of cases) if (name && 'text' in name) names.push(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

const namesOfFiles = new Map<string, string[]>();

/** Whether this is the name of one test in one file. If two had the name, nobody would notice the loss of one. */
function hasTest(file: string, name: string): boolean {
  const [path, ...others] = filesNamed(file);
  if (path === undefined || others.length > 0) return false;
  const names = namesOfFiles.get(path) ?? namesIn(readFileSync(path, 'utf8'));
  namesOfFiles.set(path, names);
  return names.filter((each) => each === name).length === 1;
}

describe.each(PAGES)('each promise of %s', (page) => {
  const { promises, named } = readPage(page);

  it('names tests, not only their files', () => {
    expect(promises.length).toBeGreaterThan(20);
    // A benchmark may fail as a whole.
    const isNamed = ({ file, names }: Named): boolean => names.length > 0 || file.startsWith('benchmarks/');
    const unnamed = promises.filter(({ tests }) => tests.length === 0 || !tests.every(isNamed));
    expect(unnamed.map(({ row }) => row)).toEqual([]);
  });

  it('names only tests that exist', () => {
    expect(named.filter(({ file }) => filesNamed(file).length === 0)).toEqual([]);
    const gone = named.flatMap(({ file, names }) =>
      names.filter((name) => !hasTest(file, name)).map((name) => `${file}: ${name}`),
    );
    expect(gone).toEqual([]);
  });
});

it('finds the names of tests that run, and no others', () => {
  const runners = ['describe', 'it', 'test'];
  const leftOut = ['skip', 'todo', 'only', 'failing', 'skip.each([])']
    .flatMap((how) => runners.map((runner) => `${runner}.${how}`))
    .concat(runners.slice(0, 2).flatMap((runner) => [`x${runner}`, `f${runner}`]));
  const text = `
    // it('in a comment', () => {});
    describe('a group', () => { it("it's quoted", () => expect('any text').toBe('in a body')); });
    test.each([['a row']])('%s of a table', () => {});
    it.each<[string, number]>([
      ['a row', 1],
    ])(
      'a table of %s',
      () => {},
    );
    it.each\`a\${1}\`('of a template', () => {});
    it(\`\${COUNT} times\`, () => {});
    report.check(\`\${name}: served\`, true);
    const ATTACKS = { 'an attack': [], bombs: [] };
    const other = { 'no case': [] };
    (hasPython ? it : undefined)('perhaps left out', () => {});
    ${leftOut.map((call) => `${call}('left out', () => it('inside', () => {}));`).join('\n')}
  `;
  expect(namesIn(text)).toEqual([
    ...['a group', "it's quoted", '%s of a table', 'a table of %s', 'of a template', '${COUNT} times'],
    ...['${name}: served', 'an attack', 'bombs'],
  ]);
});

it('each promise at the top of README.md leads to the tests that prove it', () => {
  const [introduction] = readFileSync('README.md', 'utf8').split('\n## ');
  const [, ...promises] = introduction.split(/\n(?=- )/);
  expect(promises.length).toBe(4);
  // references.spec.ts follows the links.
  expect(promises.filter((promise) => !/\]\(docs\/trust\.md#[\w-]+\)/.test(promise))).toEqual([]);
});
