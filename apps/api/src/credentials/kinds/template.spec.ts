import { fill, findTemplateKeys, templateFault } from './template.js';

const VALUES: Record<string, string> = { key: 'k1', 'other.key': 'k2', brace: '{{key}}' };
const reveal = (key: string): string => VALUES[key];

it('fills each placeholder once', () => {
  expect(fill('token {{key}}, {{other.key}}; {{key}}', reveal)).toBe('token k1, k2; k1');
  expect(fill('{{brace}}', reveal)).toBe('{{key}}');
});

it('lists the keys', () => {
  expect(findTemplateKeys('token {{key}} {{other.key}}')).toEqual(['key', 'other.key']);
  expect(findTemplateKeys('2022-06-28')).toEqual([]);
});

it.each(['', '{{}}', '{{key', 'key}}', '{{ key }}', '{{a}b}}', `{{${'k'.repeat(129)}}}`, '{{kéy}}'])(
  'refuses %j',
  (template) => {
    expect(templateFault(template)).toMatch(/must/);
  },
);

it.each(['{{key}}', 'Bearer {{key}}', 'v1', '{{a}}{{b}}', '{"key":"{{key}}"}'])('accepts %j', (template) => {
  expect(templateFault(template)).toBeNull();
});
