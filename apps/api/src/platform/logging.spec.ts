import fs from 'node:fs';
import { Clock } from './clock.js';
import { createLog, describeError } from './logging.js';

it('goes on after the disk was full, with the lines that it has kept', () => {
  let isFull = true;
  let written = '';
  const write = jest.spyOn(fs, 'writeSync').mockImplementation((_descriptor, text: unknown) => {
    if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    written += String(text);
    return Buffer.byteLength(String(text));
  });
  try {
    const log = createLog('info', new Clock());
    // More than is kept. Each line is long enough to be written by itself.
    for (let line = 0; line < 300; line++) log.info({ line, text: 'x'.repeat(10_000) }, 'while it is full');
    expect(written).toBe('');
    isFull = false;
    for (let line = 0; line < 2; line++) log.info({ line, text: 'x'.repeat(10_000) }, 'afterwards');
    expect(written).toContain('"line":0,');
    expect(written).toContain('afterwards');
  } finally {
    write.mockRestore();
  }
});

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
