import { passwordStrength } from './password-strength.js';

describe('passwordStrength', () => {
  it.each([
    ['', 'short'],
    ['abcdefghijk', 'short'],
    ['aaaaaaaaaaaaaaaa', 'weak'],
    ['abcdefghijklmnop', 'weak'],
    ['123456789012', 'weak'],
    ['correcthorsebat', 'good'],
    ['correct horse battery staple', 'strong'],
    ['x7#Kd9!pQz2&Lm', 'strong'],
  ])('of %j is %s', (password, expected) => {
    expect(passwordStrength(password)).toBe(expected);
  });
});
