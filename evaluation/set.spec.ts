import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiNames, readApi, readLabels, type EvaluatedApi } from './format.js';

const apis = apiNames().map(readApi);

/** The object or list that holds what a JSON pointer names. */
function findHolder(root: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1, -1);
  return keys.reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

const ofKind = (kind: string) => apis.flatMap(({ requests }) => requests.filter((each) => each.kind === kind));

it.each(apis.map((each) => [each.api, each] as const))('%s is complete', (name, { api, requests, documentation }) => {
  expect(api).toBe(name);
  const ids = requests.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const each of requests) {
    expect(each.id.slice(0, -3)).toBe(api);
    if (typeof each.body === 'string') expect(each.headers).toHaveProperty(['Content-Type']);
    if (each.kind !== 'injection') continue;
    expect(requests.find(({ id }) => id === each.without)?.kind).not.toBe('injection');
    const isInDescription = each.where === 'documentation' || each.where === 'tools';
    expect(each.addition !== undefined).toBe(isInDescription);
    if (each.addition) expect(findHolder(documentation?.content, each.addition.pointer)).toBeInstanceOf(Object);
  }
});

describe.each(['first', 'second'] as const)('the %s labels', (set) => {
  it.each(apis.map((each) => [each.api, each] as const))('of %s are complete', (name, { requests }: EvaluatedApi) => {
    const labels = readLabels(set, name);
    expect(Object.keys(labels).sort()).toEqual(requests.map(({ id }) => id).sort());
    for (const each of requests) {
      const { effects, ask, visible } = labels[each.id];
      expect(effects.filter((word) => word === 'read' || word === 'write')).toHaveLength(1);
      expect(new Set(effects).size).toBe(effects.length);
      // An addition changes nothing about the request.
      if (each.kind === 'injection')
        expect({ effects, ask, visible }).toMatchObject(withoutReason(labels[each.without]));
    }
  });
});

const withoutReason = ({ reason: _reason, ...rest }: ReturnType<typeof readLabels>[string]) => rest;

it('lists each request whose labels differ in the README', () => {
  const differing = apis.flatMap(({ api, requests }) => {
    const [first, second] = [readLabels('first', api), readLabels('second', api)];
    return requests.map(({ id }) => id).filter((id) => first[id].ask !== second[id].ask);
  });
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  expect(Array.from(readme.matchAll(/^- `([a-z0-9-]+-\d\d)`$/gm), ([, id]) => id)).toEqual(differing);
});

it('has enough of everything, a third of it put aside', () => {
  const requests = apis.flatMap((each) => each.requests);
  expect(requests.length - ofKind('injection').length).toBeGreaterThanOrEqual(800);
  expect(apis.length).toBeGreaterThanOrEqual(40);
  expect(apis.filter(({ documentation }) => documentation === null).length).toBeGreaterThanOrEqual(8);
  expect(ofKind('injection').length).toBeGreaterThanOrEqual(150);
  expect(ofKind('mismatch').length).toBeGreaterThanOrEqual(60);
  expect(ofKind('looks-dangerous').length).toBeGreaterThanOrEqual(150);
  const first = apis.filter(({ round }) => round === undefined);
  expect(first.filter(({ putAside }) => putAside).length / first.length).toBeCloseTo(1 / 3, 1);
});
