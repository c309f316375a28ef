import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDotenv } from './dotenv.mjs';

const directory = mkdtempSync(join(tmpdir(), 'agw-dotenv-'));
const file = join(directory, '.env');
afterAll(() => rmSync(directory, { recursive: true }));

const TEXT = 'PORT=4000\nLLM_API_KEY="a b" # key\nMAIL_FROM=Gäte <a@b.example>\n';
const READ = { PORT: '4000', LLM_API_KEY: 'a b', MAIL_FROM: 'Gäte <a@b.example>', HOST: 'given' };

it.each([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${TEXT}`)],
  ['lines that end as on Windows', Buffer.from(TEXT.replaceAll('\n', '\r\n'))],
  ['both', Buffer.from(`\uFEFF${TEXT.replaceAll('\n', '\r\n')}`)],
])('reads a .env in %s', (_, bytes) => {
  writeFileSync(file, bytes);
  const env = { HOST: 'given' };
  loadDotenv(file, env);
  expect(env).toEqual(READ);
});

it.each([
  ['UTF-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), 'is in UTF-16: save it as UTF-8'],
  ['UTF-16 without a mark', Buffer.from(TEXT, 'utf16le'), 'is in UTF-16: save it as UTF-8'],
  ['UTF-16, big end first', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16(), 'is in UTF-16: save it as UTF-8'],
  ['Latin-1', Buffer.from(TEXT, 'latin1'), 'is not in UTF-8: save it as UTF-8'],
])('refuses a .env in %s aloud', (_, bytes, reason) => {
  writeFileSync(file, bytes);
  const env = {};
  expect(() => loadDotenv(file, env)).toThrow(reason);
  expect(env).toEqual({});
});

it('leaves what the environment has', () => {
  writeFileSync(file, 'PORT=4000');
  const env = { PORT: '1' };
  loadDotenv(file, env);
  expect(env).toEqual({ PORT: '1' });
});
