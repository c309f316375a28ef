import fc from 'fast-check';
import { ServiceTemplates } from './service-templates.js';

const BASE = 'https://api.example.com/v1';

function templates(paths: readonly string[], serverPath = ''): ServiceTemplates {
  const built = new ServiceTemplates();
  built.add(
    paths.map((path, at) => ({
      id: at + 1,
      method: 'GET',
      path: path.replace('+}', '}'),
      comparedPath: path.includes('+}') ? path : null,
      serverPath,
      tool: null,
    })),
  );
  return built.finish();
}
const find = (paths: readonly string[], target: string, serverPath?: string) =>
  templates(paths, serverPath).find({ method: 'GET' }, new URL(BASE + target), BASE);
const template = (paths: readonly string[], target: string, serverPath?: string) => {
  const found = find(paths, target, serverPath);
  return found && [paths[found.id - 1], found.isSpanned];
};

const segment = fc.constantFrom('a', 'b', '{x}', '{key}', 'v{x}');
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
const target = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);

describe('a last parameter', () => {
  it.each([
    ['/bucket/a/b.txt', ['/{Bucket}/{Key}'], '/{Bucket}/{Key}'],
    ['/bucket/a/b.txt?acl', ['/{Bucket}/{Key}', '/{Bucket}/{Key}?acl'], '/{Bucket}/{Key}?acl'],
    ['/compare/main...feature/x', ['/compare/{basehead}'], '/compare/{basehead}'],
    ['/a/b/c', ['/{x}/{y}', '/a/{y}'], '/a/{y}'],
    ['/a/b/c', ['/a/{y}', '/{x}/{y}'], '/a/{y}'],
  ])('spans segments where nothing else fits: %s of %j is %s', (given, paths, expected) => {
    expect(template(paths, given)).toEqual([expected, true]);
  });

  it.each([
    ['/users/7/keys', ['/users/{id}']],
    ['/users/7/keys', ['/users/{user_id}']],
    ['/users/7/keys', ['/users/{userId}']],
    ['/repos/o/r/x', ['/repos/{owner}/{repo}', '/repos/{owner}/{repo}/issues']],
    ['/a/b/c', ['/a/v{x}']],
    ['/a/b/c', ['/a/{x}/d']],
    ['/v', ['/a/{x}']],
  ])('spans none if its value has no slash, or paths are documented below it: %s of %j', (given, paths) => {
    expect(template(paths, given)).toBeNull();
  });

  it('spans below the path of the server of its document', () => {
    expect(template(['/{Bucket}/{Key}'], '/s/b/x/y', '/v1/s')).toEqual(['/{Bucket}/{Key}', true]);
  });

  it('changes nothing where a template fits', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 4 }), fc.array(path, { maxLength: 4 }), target, (paths, more, given) => {
        const built = templates(paths);
        const found = built.find({ method: 'GET' }, new URL(BASE + given), BASE);
        fc.pre(found !== null && !found.isSpanned);
        // What could only match by spanning: it is longer or shorter than the path.
        const depth = given.split('/').length;
        const others = more.filter((each) => each.split('/').length !== depth);
        expect(find([...paths, ...others], given)).toEqual(found);
        expect(find([...others, ...paths], given)).toEqual({ ...found, id: found.id + others.length });
      }),
      { numRuns: 2_000 },
    );
  });

  it('spans at most a hundred segments', () => {
    expect(find(['/{key}'], '/a'.repeat(99))).not.toBeNull();
    expect(find(['/{key}'], '/a'.repeat(100))).toBeNull();
  });

  it('costs little in a document with many parameters of one kind', () => {
    const same = Array.from({ length: 10_000 }, (_, at) => `/{a}/{b${at}}`);
    const built = templates(same);
    // Each of these took a tenth of a second.
    for (let at = 0; at < 1_000; at++) {
      expect(built.find({ method: 'GET' }, new URL(`${BASE}/x/y${at}${'/z'.repeat(90)}`), BASE)?.id).toBe(1);
      expect(built.find({ method: 'GET' }, new URL(`${BASE}/x/y${at}`), BASE)?.id).toBe(1);
    }
  });

  it('costs little in a document with many parameters in a path', () => {
    const hostile = Array.from({ length: 2_000 }, (_, at) => `/p${at}${'/{a}'.repeat(600)}`);
    expect(find(hostile, '/p7/x')).toBeNull();
  });
});

describe('a path that servers read in several ways', () => {
  const PATHS = [
    '/orders/{id}',
    '/orders/{id}/items',
    '/orders/search',
    '/labels/{name}',
    '/Users/{id}/Ban',
    '/x/{key+}',
  ];
  const built = templates(PATHS);
  const both = (given: string) => {
    const url = new URL(BASE + given);
    const found = built.findAlike({ method: 'GET' }, url, BASE);
    return [found && PATHS[found.id - 1], built.isAmbiguous({ method: 'GET' }, url, BASE)];
  };

  it.each([
    ['/orders/7', '/orders/{id}'],
    ['/orders/a%2520b', '/orders/{id}'],
    ['/orders/7/', '/orders/{id}'],
    ['/labels/C%23', '/labels/{name}'],
    ['/Users/7/Ban', '/Users/{id}/Ban'],
    ['/x/a%2Fb', '/x/{key+}'],
    ['/nothing', null],
    ['/nothing/C%23', null],
  ])('has an operation if it is the same in all: %s', (given, expected) => {
    expect(both(given)).toEqual([expected, false]);
  });

  it.each([
    ['/orders/7%2F8'],
    ['/orders/7%2Fitems'],
    ['/orders/search%23'],
    ['/orders/7%3f/items'],
    ['/orders/7/items%00/x'],
    ['/orders/..%20/orders/7'],
    ['/orders/7/..%23/items'],
    ['/nothing/..;/orders/7'],
  ])('has none, and is ambiguous, if they differ or lead elsewhere: %s', (given) => {
    expect(both(given)).toEqual([null, true]);
  });

  it.each([
    ['/Orders/7', null],
    ['/ORDERS/search', null],
    ['/users/7/ban', null],
    ['/index.php/orders/7', null],
    ['/orders/Search', '/orders/{id}'],
  ])('is ambiguous if a server that ignores letter case or scripts knows another one: %s', (given, expected) => {
    expect(both(given)).toEqual([expected, true]);
  });
});

describe('other operations for which some server may take a target', () => {
  const all = ['/orders/{id}/reversal', '/orders/{id}/{part}', '/Tools/run'];
  const others = (target: string, methods = ['GET']) =>
    templates(all)
      .findAll(methods[0], methods, new URL(BASE + target), BASE)
      .others?.map(({ id }) => all[id - 1]);

  it.each([
    ['/orders/5/reversal', []],
    ['/orders/5/reversal/', []],
    ['//orders/5//reversal', []],
    ['/orders/5/reve%72sal', []],
    ['/orders/5/REVERSAL', ['/orders/{id}/reversal']],
    ['/Orders/5/rEversal', ['/orders/{id}/reversal']],
    ['/tools/RUN', ['/Tools/run']],
    ['/orders/5/reversal;x', ['/orders/{id}/{part}', '/orders/{id}/reversal']],
    ['/orders/5/reversal%20', ['/orders/{id}/{part}', '/orders/{id}/reversal']],
    ['/api.php/orders/5/reversal', ['/orders/{id}/reversal']],
    ['/customers', []],
  ])('of %s are %j', (given, expected) => {
    expect(others(given)?.sort()).toEqual([...expected].sort());
  });

  it('are also those of other methods that the request asks for', () => {
    expect(others('/Tools/run', ['POST', 'GET'])).toEqual(['/Tools/run']);
  });

  it('are not known of a path with too many readings', () => {
    expect(others(`/${'a;b%3fc%00d%23e/'.repeat(400)}`)).toBeUndefined();
  });
});
