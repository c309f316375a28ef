import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GOOD, readFaults } from '../../test/support/settings.js';
import { loadConfig, loadDatabase, loadEncryption, withSecretFiles, type Environment } from './load-config.js';
import { settings } from './settings.js';

const SECRETS = Object.entries(settings.shape).flatMap(([name, setting]) => (setting.meta()?.secret ? [name] : []));

let directory: string;
let files = 0;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'agw-secrets-'));
});
afterAll(() => rmSync(directory, { recursive: true }));
const inFile = (content: string | Buffer): string => {
  const path = join(directory, `secret-${++files}`);
  writeFileSync(path, content);
  return path;
};
/** The settings with one in a file. */
const withFile = (name: string, path: string): Environment => ({ ...GOOD, [name]: undefined, [`${name}_FILE`]: path });

it.each(SECRETS)('%s can be in a file', (name) => {
  const value = { DATABASE_URL: GOOD.DATABASE_URL, SMTP_URL: 'smtp://mail.example.com', ADMIN_EMAIL: 'a@example.com' };
  const needed: Environment = {
    SMTP_URL: 'smtp://mail.example.com',
    MAIL_FROM: 'agw@example.com',
    ADMIN_EMAIL: 'a@example.com',
    ADMIN_PASSWORD: 'correct horse',
    OIDC_ISSUER: 'https://login.example.com',
    OIDC_CLIENT_ID: 'agw',
    OIDC_CLIENT_SECRET: 'client-secret',
    PUBLIC_URL: 'https://agw.example.com',
  };
  const path = inFile(`${value[name as keyof typeof value] ?? 's'.repeat(40)}\n`);
  const { summary } = loadConfig({
    ...needed,
    ...withFile(name, path),
    ...(name in needed ? { [name]: undefined } : {}),
  });
  expect(summary).toContainEqual({ name, value: 'set', secret: true });
});

it('is read without blanks and line breaks at its ends, also by way of a link', () => {
  const link = join(directory, 'link');
  symlinkSync(inFile('\uFEFF  key of two\nlines \r\n\n'), link);
  expect(loadConfig(withFile('LLM_API_KEY', link)).risk.llmApiKey).toBe('key of two\nlines');
  expect(loadDatabase(withFile('DATABASE_URL', inFile(`${GOOD.DATABASE_URL}\n`))).connection.password).toBe('pw');
  expect(loadEncryption(withFile('ENCRYPTION_SECRET', inFile('f'.repeat(32)))).crypto.encryptionSecret).toBe(
    'f'.repeat(32),
  );
});

it('is not asked for by a program that does not need it', () => {
  expect(readFaults({ ...GOOD, LLM_API_KEY_FILE: '/nowhere' }, loadDatabase)).toEqual([]);
});

it.each<[string, () => string, string]>([
  ['is not there', () => join(directory, 'nowhere'), 'names a file that cannot be read'],
  ['is a directory', () => directory, 'must name a regular file'],
  ['is a device', () => '/dev/zero', 'must name a regular file'],
  [
    'is a pipe that nobody writes into',
    () => {
      const path = join(directory, 'pipe');
      execFileSync('mkfifo', [path]);
      return path;
    },
    'must name a regular file',
  ],
  ['is in a directory that is a file', () => join(inFile('x'), 'y'), 'names a file that cannot be read'],
  ['is empty', () => inFile(' \n'), 'names an empty file'],
  ['has more than 64 kB', () => inFile('x'.repeat(65_537)), 'must name a file of at most 64 kB'],
  ['is not UTF-8', () => inFile(Buffer.from([0x66, 0xff, 0x66])), 'must name a file with UTF-8 text'],
  ['has NUL', () => inFile('secret\0secret'), 'must name a file without NUL'],
])('a file that %s is a fault, once', (_what, path, fault) => {
  expect(readFaults(withFile('LLM_API_KEY', path()))).toEqual([`LLM_API_KEY_FILE ${fault}`]);
});

it('and its variable must not both be set', () => {
  expect(readFaults({ ...GOOD, JWT_SECRET_FILE: inFile('x') })).toEqual([
    'JWT_SECRET_FILE and JWT_SECRET must not both be set',
  ]);
});

it('with a bad value is a fault that names the variable of the file, and neither its path nor its content', () => {
  const path = inFile('too short');
  const faults = readFaults({
    ...withFile('ENCRYPTION_SECRET', path),
    DATABASE_URL: '',
    DATABASE_URL_FILE: inFile('mysql://secret'),
  });
  expect(faults).toHaveLength(2);
  expect(faults).toContain('ENCRYPTION_SECRET_FILE must have at least 32 characters');
  expect(faults.find((each) => each.startsWith('DATABASE_URL_FILE '))).toBeDefined();
  expect(faults.join()).not.toMatch(/secret-\d|mysql|too short/);
});

it('counts as not set with an empty name', () => {
  expect(readFaults({ ...GOOD, LLM_API_KEY_FILE: ' ' })).toEqual([]);
  expect(readFaults(withFile('LLM_API_KEY', ''))).toEqual(['LLM_API_KEY is required']);
});

it('is no way to a setting that is no secret', () => {
  expect(loadConfig({ ...GOOD, PORT_FILE: inFile('4000') }).http.port).toBe(3000);
});

it('is handed on by programs that start the gateway', () => {
  const env = { ...withFile('LLM_API_KEY', inFile('from a file')), SSL_CERT_FILE: '/nowhere' };
  expect(withSecretFiles(env)).toEqual({ ...env, LLM_API_KEY: 'from a file', LLM_API_KEY_FILE: undefined });
  expect(readFaults(withFile('LLM_API_KEY', directory), withSecretFiles)).toEqual([
    'LLM_API_KEY_FILE must name a regular file',
  ]);
});

it('has room for the largest secret', () => {
  expect(loadConfig(withFile('LLM_API_KEY', inFile('x'.repeat(65_536)))).risk.llmApiKey).toHaveLength(65_536);
});
