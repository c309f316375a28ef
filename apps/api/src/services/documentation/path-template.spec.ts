import { fit, isBetter, pathSegments } from './path-template.js';

const best = (path: string, ...templates: string[]): string | undefined => {
  const segments = pathSegments(path);
  return templates
    .map((template) => ({ template, score: fit(pathSegments(template), segments) }))
    .filter(({ score }) => score !== null)
    .reduce<{ template?: string; score: number[] }>(
      (kept, next) => (isBetter(next.score!, kept.score) ? { template: next.template, score: next.score! } : kept),
      { score: [-1] },
    ).template;
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
  ])('the best match for %s among %j is %s', (path, templates, expected) => {
    expect(best(path, ...templates)).toBe(expected);
    expect(best(path, ...templates.toReversed())).toBe(expected);
  });
});
