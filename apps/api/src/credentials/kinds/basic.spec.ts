import { CATALOGUE } from '#catalogue';
import { basicKind } from './basic.js';

const secrets = (username: string, password: string): string[] =>
  basicKind.inject(
    {},
    { names: ['username', 'password'], reveal: (name) => (name === 'username' ? username : password) },
  ).secrets;
const pair = (username: string, password: string): string => Buffer.from(`${username}:${password}`).toString('base64');

it.each(['', 'X', 'x', 'xx', 'api_token', 'x-oauth-basic'])(
  'counts the user name as the key beside the password %p',
  (none) => {
    expect(secrets('fd-key-1', none)).toEqual([pair('fd-key-1', none), 'fd-key-1']);
  },
);

it('counts the user name as the key beside every password that the catalogue fixes', () => {
  const fixed = CATALOGUE.flatMap(({ auth }) => auth)
    .filter(({ authType }) => authType === 'basic')
    .flatMap(({ credentials }) => credentials)
    .flatMap(({ name, value }) => (name === 'password' && value !== undefined ? [value] : []));
  expect(fixed.length).toBeGreaterThan(1);
  for (const password of fixed) expect(secrets('the-key', password)).toContain('the-key');
});

it.each(['ck_0123456789abcdef0123456789abcdef', 'sk_live_x', '6f9619ff-8b86-d011-b42d-00cf4fc964ff'])(
  'counts both halves as secret when the user name looks like a key: %s',
  (username) => {
    expect(secrets(username, 'cs_secret')).toEqual([pair(username, 'cs_secret'), username, 'cs_secret']);
  },
);

it.each(['admin', 'ana@acme.com/token', `AC${'0'.repeat(32)}`, 'deploy-bot-2026'])(
  'leaves the user name %s in texts',
  (username) => {
    expect(secrets(username, 'a-password')).toEqual([pair(username, 'a-password'), 'a-password']);
  },
);
