import { CATALOGUE, type CatalogueEntry } from '#catalogue';
import { RECOMMENDED_EFFECTS } from '#contracts/effects';
import { emptyDraft, firstGap, fitsPlaceholder, toNewService, type EntryDraft } from './entry-draft.js';

const entry = (wanted: string): CatalogueEntry => CATALOGUE.find(({ id }) => id === wanted)!;
const draft = (id: string, fields: Partial<EntryDraft>): EntryDraft => ({ ...emptyDraft(entry(id)), ...fields });

it('needs only a token for GitHub', () => {
  expect(firstGap(entry('github'), draft('github', {}))).toBe('Token');
  const complete = draft('github', { credentials: { token: ' github_pat_1 ' } });
  expect(firstGap(entry('github'), complete)).toBeNull();
  const { service, rules, testPath } = toNewService(entry('github'), complete);
  expect(service).toEqual({
    name: 'GitHub',
    baseUrl: 'https://api.github.com',
    authType: 'bearer',
    credentials: { token: 'github_pat_1' },
    askFor: [...RECOMMENDED_EFFECTS],
  });
  expect(rules.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Ask before DELETE', 'Allow all reads', 'Ask before a merge']),
  );
  expect(testPath).toBe('/user');
});

it('leaves out the rules that are not wanted', () => {
  const { rules } = toNewService(
    entry('github'),
    draft('github', { without: ['Allow all reads', 'Ask before a merge'] }),
  );
  const names = rules.map(({ name }) => name);
  expect(names).toContain('Ask before DELETE');
  expect(names).not.toContain('Allow all reads');
  expect(names).not.toContain('Ask before a merge');
});

it('puts the client ID and the scopes into the OAuth settings', () => {
  const way = entry('github').auth.findIndex(({ authType }) => authType === 'oauth2');
  const typed = draft('github', { way, credentials: { client_secret: 's' }, scopes: ' repo\n  gist ' });
  expect(firstGap(entry('github'), typed)).toBe('Client ID');
  expect(toNewService(entry('github'), { ...typed, clientId: 'Iv1' }).service.oauth).toMatchObject({
    grant: 'authorization_code',
    clientId: 'Iv1',
    scopes: ['repo', 'gist'],
  });
});

it('fills placeholders in templates and URLs, and keeps them within their place', () => {
  const gitea = draft('gitea', { placeholders: { host: 'git.example.com' }, credentials: { token: 't' } });
  expect(toNewService(entry('gitea'), gitea).service).toMatchObject({
    baseUrl: 'https://git.example.com/api/v1',
    authType: 'custom',
    auth: { headers: { Authorization: 'token {{token}}' } },
  });
  expect(firstGap(entry('gitea'), { ...gitea, placeholders: { host: 'https://git.example.com' } })).toBe(
    'Host of your server',
  );
  for (const { placeholders = [] } of CATALOGUE)
    for (const { example } of placeholders) expect([example, fitsPlaceholder(example)]).toEqual([example, true]);
});

it('sends what the provider fixes without asking for it', () => {
  for (const each of CATALOGUE) {
    const [way] = each.auth;
    const typed = Object.fromEntries(
      way!.credentials.filter(({ value }) => value === undefined).map(({ name }) => [name, 'typed']),
    );
    const { credentials } = toNewService(each, { ...emptyDraft(each), credentials: typed }).service;
    expect(Object.keys(credentials!)).toEqual(way!.credentials.map(({ name }) => name));
  }
});
