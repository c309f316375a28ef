import { describeError } from './logging.js';

it.each([
  'planted-secret',
  '{"a":planted-secret}',
  '{"access_token": "short", planted-secret, planted-secret and more of it, "b": 1}',
])('an error about malformed JSON does not quote it: %s', (json) => {
  let error: unknown;
  try {
    JSON.parse(json);
  } catch (thrown) {
    error = thrown;
  }
  const described = describeError(new Error('outer', { cause: error }));
  expect(described).toMatchObject({ message: 'outer', cause: { type: 'SyntaxError', message: /^Unexpected token/ } });
  expect(JSON.stringify(described)).not.toMatch(/plan|secret|access/);
});
