import fc from 'fast-check';
import { allowsAddress, isAddressRange } from './client-addresses.js';

it.each(['192.0.2.1', '192.0.2.0/24', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::/0'])('accepts %s', (entry) => {
  expect(isAddressRange(entry)).toBe(true);
});

it.each([
  '',
  'example.com',
  '192.0.2',
  '192.0.2.0/33',
  '2001:db8::/129',
  '192.0.2.0/',
  '192.0.2.0/24/8',
  'fe80::1%eth0',
  '1.2.3.4/+8',
  ' 1.2.3.4',
])('refuses %j', (entry) => {
  expect(isAddressRange(entry)).toBe(false);
});

it.each([
  [[], '192.0.2.1', true],
  [[], undefined, true],
  [['192.0.2.1'], '192.0.2.1', true],
  [['192.0.2.1'], '192.0.2.2', false],
  [['192.0.2.0/24'], '192.0.2.255', true],
  [['192.0.2.0/24'], '192.0.3.0', false],
  [['192.0.2.0/24'], '::ffff:192.0.2.9', true],
  [['192.0.2.0/24'], '::ffff:192.0.3.9', false],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['2001:db8::/32'], '2001:db8:1::5', true],
  [['fe80::/10'], 'fe80::1%eth0', true],
  [['192.0.2.1', '2001:db8::1'], '2001:DB8:0::1', true],
  [['192.0.2.1'], '::192.0.2.1', false],
  [['::192.0.2.1'], '::192.0.2.1', true],
  [['192.0.2.1'], undefined, false],
  [['192.0.2.1'], 'unknown', false],
])('%j allows %s: %s', (list, address, allowed) => {
  expect(allowsAddress(list, address)).toBe(allowed);
});

it('reads every range that it accepts', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.option(fc.nat(128)), (address, prefix) => {
      const entry = prefix === null ? address : `${address}/${prefix}`;
      if (isAddressRange(entry)) expect(allowsAddress([entry], address)).toBe(true);
    }),
  );
});
