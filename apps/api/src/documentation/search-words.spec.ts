import { METHOD_VERBS, searchWords, splitWords } from './search-words.js';

const compared = (text: string) => searchWords(splitWords(text)).join(' ');

describe('searchWords', () => {
  it.each([
    ['delete a repository', 'Deletes the repos'],
    ['merge pull requests', 'merging a pull request'],
    ['stopped runs', 'Stop running'],
    ['list my branches', 'get my branch'],
    ['deleteSite', 'delete-site'],
    ['deleteSite', 'delete_site'],
    ['change the configs', 'Update Configuration'],
    ['categories', 'Category'],
  ])('returns the same words for "%s" and "%s"', (one, other) => {
    expect(compared(one)).toBe(compared(other));
  });

  it.each([
    ['project settings', 'set a project'],
    ['users', 'uses'],
    ['delete a branch', 'delete a release'],
  ])('returns different words for "%s" and "%s"', (one, other) => {
    expect(compared(one)).not.toBe(compared(other));
  });

  it('keeps words of other languages, and finds no words in punctuation', () => {
    expect(compared('Größe ändern 42')).toBe('größ ändern 42');
    expect(compared('%_; the')).toBe('');
  });

  it('returns the verb of each method as METHOD_VERBS has it', () => {
    expect(Object.values(METHOD_VERBS)).toEqual(searchWords(['get', 'create', 'update', 'update', 'delete']));
  });
});
