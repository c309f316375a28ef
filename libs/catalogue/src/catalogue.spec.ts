import { RULE_PRESETS } from '#contracts/rule-presets';
import { CATALOGUE, filledIn, findTestPath, searchCatalogue } from './catalogue.js';
import { catalogueEntry } from './schema.js';

const names = (query: string): string[] => searchCatalogue(query).map(({ name }) => name);

describe('the catalogue', () => {
  it('has at least 40 APIs, each once', () => {
    expect(CATALOGUE.length).toBeGreaterThanOrEqual(40);
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
    expect(new Set(CATALOGUE.map(({ name }) => name)).size).toBe(CATALOGUE.length);
  });

  it.each(CATALOGUE.map((entry) => [entry.name, entry] as const))('%s has the form of an entry', (_, entry) => {
    expect(catalogueEntry.safeParse(entry).error?.issues ?? []).toEqual([]);
  });

  it('names presets that exist', () => {
    const keys = new Set<string>(RULE_PRESETS.map(({ key }) => key));
    for (const { presets } of CATALOGUE) for (const preset of presets) expect(keys).toContain(preset);
  });

  it('gives valid URLs once the placeholders are filled in', () => {
    for (const entry of CATALOGUE) {
      const examples = Object.fromEntries((entry.placeholders ?? []).map(({ name, example }) => [name, example]));
      const { baseUrl, testPath, auth } = filledIn(entry, examples);
      expect(new URL(baseUrl + testPath).href).toBe(baseUrl + testPath);
      for (const { createAt, oauth } of auth)
        for (const url of [createAt, oauth?.tokenUrl, oauth?.authorizationUrl])
          if (url) expect(new URL(url).protocol).toBe('https:');
    }
  });

  it('refuses an entry with an unknown placeholder, an unknown template key, or a missing credential', () => {
    const [github] = searchCatalogue('github');
    const faults = (change: object): string[] =>
      catalogueEntry.safeParse({ ...github, ...change }).error?.issues.map(({ message }) => message) ?? [];
    expect(faults({ baseUrl: 'https://<host>' })).toEqual(['<host> is not among the placeholders']);
    expect(faults({ placeholders: [{ name: 'host', label: 'Host', example: 'a' }] })).toEqual([
      'the placeholder host is not used',
    ]);
    const custom = { ...github.auth[0], authType: 'custom', auth: { query: { key: '{{key}}' } } };
    expect(faults({ auth: [custom] })).toEqual([
      'Fine-grained personal access token: {{key}} is not among the credentials',
    ]);
    expect(faults({ auth: [{ ...github.auth[0], credentials: [] }] })).toEqual([
      'Fine-grained personal access token: needs the credential token',
    ]);
  });
});

describe('searching', () => {
  it('finds by the beginning of a name first', () => {
    expect(names('git').slice(0, 3).sort()).toEqual(['GitHub', 'GitLab', 'Gitea or Forgejo'].sort());
  });

  it.each([
    ['payments', 'Stripe'],
    ['mail google', 'Gmail'],
    ['outlook', 'Microsoft Graph'],
    ['S3', 'Amazon S3'],
    ['tickets', 'Zendesk'],
  ])('finds by what the API is for: %s', (query, name) => {
    expect(names(query)).toContain(name);
  });

  it('finds nothing for other words, and finds all APIs without a search text', () => {
    expect(names('git payments')).toEqual([]);
    expect(names('  ')).toHaveLength(CATALOGUE.length);
  });
});

it('knows the test path of an API by its base URL, also where a part of the URL differs for each customer', () => {
  expect(findTestPath('https://api.github.com/')).toBe('/user');
  expect(findTestPath('https://acme.okta.com/api/v1')).toBe(searchCatalogue('okta')[0].testPath);
  expect(findTestPath('https://git.example.com/api/v1')).toBeNull();
  expect(findTestPath('https://api.github.com.evil.example')).toBeNull();
  expect(findTestPath('https://apixgithub.com')).toBeNull();
});

it('fills placeholders in every text and leaves those without a value', () => {
  const value = { url: 'https://<site>.example.com/<id>', list: ['<site>', 1, null], template: '{{key}}' };
  expect(filledIn(value, { site: ' acme ' })).toEqual({
    url: 'https://acme.example.com/<id>',
    list: ['acme', 1, null],
    template: '{{key}}',
  });
});
