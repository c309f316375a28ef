import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.data', '.tmp']);
const TEXT = /\.(?:[cm]?[jt]sx?|md|py|ya?ml|css|html|sh|example)$|(?:^|\/)(?:Dockerfile|run)$/;
/** This file contains the words that it forbids. */
const SELF = join('scripts', 'references.spec.ts');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() && TEXT.test(path) && path !== SELF ? [path] : [];
  });
}

/** Comments break lines anywhere: a reference is read across the break. */
const unwrapped = (text: string): string => text.replace(/[ \t]*\n[ \t]*(?:\*(?!\*|\/)|\/\/+|#(?= ))?[ \t]*/g, ' ');

const texts = new Map<string, string>();
function readCached(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, 'utf8');
  texts.set(file, text);
  return text;
}

/** Explicit anchors, and those that GitHub makes of headings. */
function listAnchors(file: string): string[] {
  const text = readCached(file);
  const explicit = [...text.matchAll(/<a id="([\w-]+)"><\/a>/g)].map(([, id]) => id);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .replace(/<[^>]*>/g, '')
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...explicit, ...headings];
}

function leadsSomewhere(from: string, link: string): boolean {
  const [path, anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  return existsSync(target) && (anchor === undefined || listAnchors(target).includes(anchor));
}

/** Documents that readers of this repository don't have. */
const OUTSIDE = [
  /\(contract\b|\bthe contract\b|\bcontract (?:\d|section)|\bcontract's\b|\bcontract\.md\b/gi,
  /\(spec\b(?!\|)|\bthe spec\b|\bspec's\b|(?<![\w.*/-])spec\.md\b/gi,
  // A standard with a name is public.
  /(?<!\b(?:OpenAPI|Webhooks) )\b[Ss]pecification\b/g,
];

describe('references', () => {
  const files = filesBelow('.');
  const documents = files.filter((file) => file.endsWith('.md'));
  const reference = documents.filter((file) => file.startsWith(join('docs', 'reference')));

  it('finds code, tests, scripts and documents', () => {
    expect(documents.length).toBeGreaterThan(40);
    expect(files.length).toBeGreaterThan(500);
    expect(reference.length).toBeGreaterThan(7);
  });

  it('links in documents lead somewhere', () => {
    const broken = documents.flatMap((file) =>
      [...readCached(file).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link]) => link)
        .filter((link) => !/^(?:https?:|mailto:)/.test(link) && !leadsSomewhere(file, link))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('names of documents and anchors, in code and elsewhere, lead somewhere', () => {
    const named = files.flatMap((file) =>
      [...unwrapped(readCached(file)).matchAll(/(?<![\w/.-])docs\/[\w./-]+\.md(?:#[\w-]+)?/g)].map(([link]) => ({
        file,
        link,
      })),
    );
    expect(named.length).toBeGreaterThan(40);
    const broken = named.filter(({ link }) => !leadsSomewhere('README.md', link));
    expect(broken.map(({ file, link }) => `${file}: ${link}`)).toEqual([]);
  });

  it('files that documents name exist', () => {
    // A replaced decision describes what was there before.
    const valid = documents.filter((file) => !readCached(file).includes('_Replaced by '));
    const named = valid.flatMap((file) =>
      [...readCached(file).matchAll(/`([\w./-]+\/[\w.-]+\.(?:[mc]?[jt]sx?))`/g)].map(([, path]) => ({
        file,
        path: path.startsWith('.') ? join(dirname(file), path) : path,
      })),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ path }) => !files.some((file) => file === path || file.endsWith(`/${path}`)))).toEqual([]);
  });

  it('documents run no package by a name that is not registered, because anybody could register it', () => {
    const run = documents.filter((file) => /\bnpx (?:-\S+ )*agent-gateway\b/.test(readCached(file)));
    expect(run).toEqual([]);
  });

  it('tests that documents name exist', () => {
    const tests = files.filter((file) => /\.(?:e2e|drill|spec)\.ts$/.test(file));
    const named = documents.flatMap((file) =>
      [...readCached(file).matchAll(/`(?!x\.)([\w./-]+\.(?:e2e|drill|spec)\.ts)`/g)].map(([, path]) => ({
        file,
        path,
      })),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ path }) => !tests.some((test) => test === path || test.endsWith(`/${path}`)))).toEqual([]);
  });

  it('cites only contracts and specifications that are in the repository', () => {
    const cited = files.flatMap((file) => {
      const text = unwrapped(readCached(file));
      return OUTSIDE.flatMap((pattern) => [...text.matchAll(pattern)]).map(
        ({ index }) => `${file}: …${text.slice(Math.max(0, index - 40), index + 30)}…`,
      );
    });
    expect(cited).toEqual([]);
  });

  it('lists each page in the README of its folder, and the guides in the first README', () => {
    const pages = documents.filter((file) => file.startsWith(join('docs', '')) && !file.endsWith('README.md'));
    const missing = pages.filter((file) => {
      const index = dirname(file) === 'docs' ? 'README.md' : join(dirname(file), 'README.md');
      return !readCached(index).includes(`](${relative(dirname(index), file)})`);
    });
    expect(missing).toEqual([]);
  });

  it('gives each rule of the reference one anchor of its own', () => {
    for (const file of reference) {
      const bare = [...readCached(file).matchAll(/^##+ (?!.*<a id="[\w-]+"><\/a>$).*$/gm)].map(([heading]) => heading);
      const ids = [...readCached(file).matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id);
      expect({ file, bare, twice: ids.filter((id, index) => ids.indexOf(id) !== index) }).toEqual({
        file,
        bare: [],
        twice: [],
      });
    }
  });
});
