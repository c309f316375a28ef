import fc from 'fast-check';
import { isIP } from 'node:net';
import type { Request, Response } from 'express';
import { plainAddress, plainForwardedFor } from './client-address.js';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  [' 203.0.113.7:51234 ', '203.0.113.7'],
  ['"203.0.113.7:51234"', '203.0.113.7'],
  ['2001:DB8::5', '2001:db8::5'],
  ['2001:db8:0:0:0:0:0:5', '2001:db8::5'],
  ['[2001:db8::5]', '2001:db8::5'],
  ['[2001:db8::5]:443', '2001:db8::5'],
  ['"[2001:db8::5]:443"', '2001:db8::5'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:443', 'fe80::1'],
  [`${' '.repeat(200)}203.0.113.7${' '.repeat(200)}`, '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  // Without brackets, the last group is a part of the address.
  ['2001:db8::5:443', '2001:db8::5:443'],
])('reads %j as %s', (text, address) => {
  expect(plainAddress(text)).toBe(address);
});

it.each([
  '',
  'unknown',
  '_hidden',
  '<script>',
  '127.1',
  '0x7f.1',
  '203.0.113.7:',
  '203.0.113.7:999999',
  '203.0.113.7:80:80',
  '203.0.113.07:80',
  '[203.0.113.7]:80',
  '[2001:db8::5',
  '2001:db8::5]:443',
  '[2001:db8::5]443',
  'gate.example:443',
  '203.0.113.7 203.0.113.8',
  `fe80::1%${'z'.repeat(200)}`,
])('takes %j for no address', (text) => {
  expect(plainAddress(text)).toBeNull();
});

const forms = (address: string): string[] =>
  isIP(address) === 4
    ? [address, `${address}:1`, `::ffff:${address}`, `[::ffff:${address}]:65535`]
    : [address, `[${address}]`, `[${address}]:443`, `${address}%eth0`, address.toUpperCase()];

it('reads every address in the same way in each of its forms, and its own answer unchanged', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const plain = plainAddress(address)!;
      expect(isIP(plain)).toBeGreaterThan(0);
      for (const form of [...forms(address), plain]) expect(plainAddress(form)).toBe(plain);
    }),
  );
});

it('never throws, and never invents an address', () => {
  const garbage = fc
    .array(fc.constantFrom('[', ']', ':', '%', '"', '.', '1', 'f', '::', ' ', 'x'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string(), garbage), (text) => {
      const plain = plainAddress(text);
      if (plain !== null) expect(isIP(plain)).toBeGreaterThan(0);
    }),
  );
});

const forwardedFor = (text: string): unknown => {
  const request = { headers: { 'x-forwarded-for': text } } as unknown as Request;
  plainForwardedFor(request, {} as Response, () => undefined);
  return request.headers['x-forwarded-for'];
};

it('keeps the number and the order of the entries of X-Forwarded-For', () => {
  expect(forwardedFor('unknown, 203.0.113.7:51234,[2001:db8::5]:443 , 10.0.0.1')).toBe(
    'unknown, 203.0.113.7, 2001:db8::5, 10.0.0.1',
  );
  fc.assert(
    fc.property(
      fc.array(fc.string().map((text) => text.replaceAll(',', ''))).filter(({ length }) => length <= 32),
      (entries) => {
        expect(String(forwardedFor(entries.join(','))).split(',')).toHaveLength(Math.max(1, entries.length));
      },
    ),
  );
});

it('reads only the last 32 entries of X-Forwarded-For, which the nearest proxies wrote', () => {
  const near = Array.from({ length: 32 }, (_, n) => `10.0.0.${n}`);
  expect(forwardedFor(`${'::1,'.repeat(4000)}${near.join(':80,')}`)).toBe(near.join(', '));
});
