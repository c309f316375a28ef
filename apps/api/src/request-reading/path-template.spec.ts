import { comparedPath } from '../documentation/openapi-paths.mjs';
import { fit, isBetter, parseTemplate, pathSegments } from './path-template.js';

const best = (target: string, ...templates: string[]): string | undefined => {
  const url = new URL(target, 'http://api');
  let kept: { template: string; score: number[] } | undefined;
  for (const path of templates) {
    const template = parseTemplate({ path, comparedPath: comparedPath(path, []) });
    const found = fit(template, pathSegments(url.pathname), url.searchParams);
    if (found && (!kept || isBetter(found.score, kept.score))) kept = { template: path, score: found.score };
  }
  return kept?.template;
};

describe('path templates', () => {
  it.each([
    ['/users/42', ['/users/{id}', '/users/me'], '/users/{id}'],
    ['/users/me', ['/users/{id}', '/users/me'], '/users/me'],
    ['/users/me/keys', ['/{a}/me/keys', '/users/{id}/keys'], '/users/{id}/keys'],
    ['/a/b', ['/{x}/b', '/a/{x}'], '/a/{x}'],
    ['/compare/v1...v2', ['/compare/{x}', '/compare/{base}...{head}'], '/compare/{base}...{head}'],
    ['/files/a.json', ['/files/{name}.xml'], undefined],
    ['/a%2Fb', ['/{x}'], '/{x}'],
    ['/%E0%A4%A', ['/{x}'], '/{x}'],
    ['/gr%C3%BCn/1', ['/gr%C3%BCn/{x}'], '/gr%C3%BCn/{x}'],

    // The query of a path key.
    ['/search?type=user&page=2', ['/search?type=org', '/search?type=user'], '/search?type=user'],
    ['/search?type=team', ['/search?type=org', '/search?type=user'], undefined],
    ['/search?type=team', ['/search', '/search?type=user'], '/search'],
    ['/search?type=user', ['/search', '/search?type=user'], '/search?type=user'],
    ['/search?type=a%20b', ['/search?type=a%20b'], '/search?type=a%20b'],
    ['/bucket?acl', ['/{bucket}', '/{bucket}?acl', '/{bucket}?tagging'], '/{bucket}?acl'],
    ['/bucket', ['/{bucket}?acl'], undefined],
    ['/users', ['/users?page={page}'], '/users?page={page}'],
    ['/users?page=2', ['/users', '/users?page={page}'], '/users?page={page}'],
    ['/users?page=2', ['/users{?page,size}'], '/users{?page,size}'],
    ['/users', ['/users#create'], undefined],
    ['/users/7', ['/users/{id?}'], '/users/{id?}'],

    // Parameters that span segments.
    ['/repos/a/b/c', ['/repos/{path}'], '/repos/{path}'],
    ['/repos/a', ['/repos/{path}'], '/repos/{path}'],
    ['/repos', ['/repos/{path}'], undefined],
    [
      '/repos/o/r/contents/src/a.ts',
      ['/repos/{owner}/{repo}/contents/{path}', '/repos/{owner}/{repo}'],
      '/repos/{owner}/{repo}/contents/{path}',
    ],
    ['/users/42/keys', ['/users/{id}'], undefined],
    ...['{key+}', '{+key}', '{key*}', '{*key}', '{**key}', '{key:path}', '{key:.*}', '{key=**}'].map(
      (key) => ['/bucket/a/b', [`/{bucket}/${key}`], `/{bucket}/${key}`] as [string, string[], string],
    ),
    ['/files/a/b/raw', ['/files/{path+}/raw', '/files/{path+}'], '/files/{path+}/raw'],
    ['/files/raw', ['/files/{path+}/raw'], undefined],
    ['/files/42/versions', ['/files/{path}', '/files/{id}/versions'], '/files/{id}/versions'],
    ['/files/42/x', ['/files/{path}', '/files/{id}/{part}'], '/files/{id}/{part}'],
    [
      '/v1/projects/p/topics/t',
      ['/v1/{name=projects/*/topics/*}', '/v1/{name=projects/*}'],
      '/v1/{name=projects/*/topics/*}',
    ],
    ['/v1/projects/p:cancel', ['/v1/{name=projects/*}:cancel'], '/v1/{name=projects/*}:cancel'],
    ['/a/b/c/d', ['/{a+}/{b+}'], '/{a+}/{b+}'],
  ])('the best match for %s among %j is %s', (path, templates, expected) => {
    expect(best(path, ...templates)).toBe(expected);
    expect(best(path, ...templates.toReversed())).toBe(expected);
  });
});

describe('comparedPath', () => {
  const parameter = (fields: object) => [{ name: 'name', in: 'path', ...fields }];

  it.each([
    [
      '/v1/{name}',
      parameter({ schema: { pattern: '^projects/[^/]+/topics/[^/]+$' } }),
      '/v1/projects/{name}/topics/{name}',
    ],
    ['/v1/{name}', parameter({ pattern: 'projects\\/[^\\/]+' }), '/v1/projects/{name}'],
    ['/v1/{name}/x', parameter({ schema: { pattern: '(a|b)/.*' } }), '/v1/{name+}/x'],
    ['/v1/{name}/x', parameter({ 'x-multi-segment': true }), '/v1/{name+}/x'],
    ['/v1/{name}', parameter({ schema: { pattern: '^[^/]+$' } }), null],
    ['/v1/{name}', parameter({ in: 'query', 'x-multi-segment': true }), null],
    ['/v1/{name}', [null, 'x', 7], null],
    ['/{path}/x', [], null],
    ['/a/{file_path}?raw', [], '/a/{file_path+}?raw'],
    ['/a-{path}', [], null],
  ])('of %s with %j is %s', (path, parameters, expected) => {
    expect(comparedPath(path, parameters)).toBe(expected);
  });
});
