import { openApiHints } from './openapi-hints.js';

describe('openApiHints', () => {
  it('reads JSON', () => {
    expect(openApiHints('{"info":{"title":"Pets"},"servers":[{"url":"https://pets.test/v1/"}]}')).toEqual({
      name: 'Pets',
      baseUrl: 'https://pets.test/v1',
    });
  });

  it('reads YAML', () => {
    const yaml =
      'openapi: 3.1.0\ninfo:\n  version: "1"\n  title: "Pets"\nservers:\n  - url: https://pets.test/v1\npaths: {}\n';
    expect(openApiHints(yaml)).toEqual({ name: 'Pets', baseUrl: 'https://pets.test/v1' });
  });

  it.each(['', 'hello', '{}', '{"servers":[{"url":"/v1"}]}', '{"servers":[{"url":"https://{host}/v1"}]}'])(
    'gives nothing for %j',
    (content) => {
      expect(openApiHints(content)).toEqual({ name: null, baseUrl: null });
    },
  );
});
