import { CATALOGUE, filledIn } from '#catalogue';
import { DESCRIPTIONS } from '#catalogue/descriptions';
import { smallDescription } from '#catalogue/small-description';
import { takeApart } from './openapi-operations.mjs';
import { readSource } from './openapi-source.mjs';
import { ServiceTemplates } from './service-templates.js';

const DESCRIBED = CATALOGUE.filter(({ id }) => id in DESCRIPTIONS).map((entry) => {
  const examples = Object.fromEntries((entry.placeholders ?? []).map(({ name, example }) => [name, example]));
  const { baseUrl } = filledIn(entry, examples);
  const found = takeApart(readSource(smallDescription(entry)!.content), 100);
  const templates = new ServiceTemplates();
  templates.add(found.operations.map((operation, id) => ({ ...operation, id, tool: null })));
  return [entry.id, { ...found, baseUrl, templates: templates.finish() }] as const;
});

/** Paths below which an API has nothing, or whose last parameter has slashes. */
const MAY_SPAN = /^\/user\/starred\/|\/contents\//;

it('describes only entries of the catalogue', () => {
  expect(DESCRIBED.map(([id]) => id).sort()).toEqual(Object.keys(DESCRIPTIONS).sort());
  const [other] = CATALOGUE.filter(({ id }) => !(id in DESCRIPTIONS));
  expect(smallDescription(other)).toBeNull();
});

describe.each(DESCRIBED)('the small description of %s', (id, { operations, ignoredCount, baseUrl, templates }) => {
  const target = (path: string): URL => new URL(baseUrl + path.replace(/\{[^{}]*\}/g, 'x7'));

  it('is read whole', () => {
    expect([operations.length, ignoredCount]).toEqual([Object.keys(DESCRIPTIONS[id]).length, 0]);
    for (const { summary } of operations) expect(summary).toMatch(/^[A-Z][a-z]+ [^.]+$/);
  });

  it('has paths below the base URL, and each finds its operation', () => {
    const base = new URL(baseUrl).pathname;
    for (const [at, { method, path }] of operations.entries()) {
      expect(base !== '/' && path.startsWith(base)).toBe(false);
      expect(templates.find({ method }, target(path), baseUrl)).toEqual({ id: at, isSpanned: false });
    }
  });

  it('says nothing of longer paths', () => {
    for (const { method, path } of operations) {
      if (!path.endsWith('}') || MAY_SPAN.test(path)) continue;
      expect([path, templates.find({ method }, target(`${path}/other`), baseUrl)]).toEqual([path, null]);
    }
  });
});
