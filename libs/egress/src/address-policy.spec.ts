import os from 'node:os';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isPublicAddress, isTargetAddress } from './address-policy.js';

/**
 * IANA's IPv4 special-purpose registry, multicast, and Azure's host endpoint: an oracle that is independent of the
 * policy's code.
 */
const REFUSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
].map((cidr) => parseRange(cidr, 32, v4ToBigInt));

/** IANA's IPv6 special-purpose registry inside 2000::/3. Everything outside 2000::/3 is refused. */
const REFUSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((cidr) =>
  parseRange(cidr, 128, v6ToBigInt),
);
const GLOBAL_V6 = parseRange('2000::/3', 128, v6ToBigInt);

function parseRange(cidr: string, bits: number, parse: (text: string) => bigint): [bigint, bigint] {
  const [address, prefix] = cidr.split('/') as [string, string];
  const first = parse(address);
  return [first, first + (1n << BigInt(bits - Number(prefix))) - 1n];
}

function v4ToBigInt(text: string): bigint {
  return text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

/** Expands `::`. The tests here use no dotted IPv4 suffixes. */
function v6ToBigInt(text: string): bigint {
  const [head, tail] = text.split('::').map((half) => half.split(':').filter(Boolean)) as [string[], string[]?];
  const middle = Array<string>(8 - head.length - (tail?.length ?? 0)).fill('0');
  return [...head, ...(tail ? middle : []), ...(tail ?? [])].reduce(
    (sum, part) => sum * 65536n + BigInt(`0x${part}`),
    0n,
  );
}

const v4FromBigInt = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');

const v6FromBigInt = (value: bigint): string =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16)).join(':');

const within = (value: bigint, [first, last]: [bigint, bigint]): boolean => value >= first && value <= last;

const isIsatap = (value: bigint): boolean => ((value >> 32n) & 0xfdffffffn) === 0x5efen;

const oracleV4 = (value: bigint): boolean => !REFUSED_V4.some((range) => within(value, range));
const oracleV6 = (value: bigint): boolean =>
  within(value, GLOBAL_V6) && !REFUSED_V6.some((range) => within(value, range)) && !isIsatap(value);

/** Any value. The bounds of each range and their neighbours are more likely. */
function addresses(bits: bigint, ranges: [bigint, bigint][]): fc.Arbitrary<bigint> {
  const max = (1n << bits) - 1n;
  const borders = ranges.flatMap(([first, last]) => [first - 1n, first, last, last + 1n]);
  return fc.oneof(
    fc.bigInt({ min: 0n, max }),
    fc.constantFrom(...borders.filter((value) => value >= 0n && value <= max)),
    ...ranges.map(([min, last]) => fc.bigInt({ min, max: last })),
  );
}

it('agrees with plain arithmetic over the IANA registry for IPv4', () => {
  fc.assert(
    fc.property(addresses(32n, REFUSED_V4), (value) => {
      expect(isPublicAddress(v4FromBigInt(value))).toBe(oracleV4(value));
    }),
    { numRuns: 3000 },
  );
});

it('agrees with plain arithmetic over the IANA registry for IPv6, in long and short notation', () => {
  fc.assert(
    fc.property(addresses(128n, [GLOBAL_V6, ...REFUSED_V6]), (value) => {
      const long = v6FromBigInt(value);
      expect([isPublicAddress(long), isPublicAddress(ipaddr.parse(long).toString())]).toEqual([
        oracleV6(value),
        oracleV6(value),
      ]);
    }),
    { numRuns: 3000 },
  );
});

it.each(REFUSED_V4.flatMap(([first, last]) => [v4FromBigInt(first), v4FromBigInt(last)]))('refuses %s', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each([
  '8.8.8.8',
  '1.1.1.1',
  '93.184.215.14',
  '172.32.0.0',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
  '2001:200::1',
])('allows %s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it('refuses all IPv4 addresses that are embedded in IPv6 addresses, public ones too', () => {
  const embeddings: ((v4: bigint) => bigint)[] = [
    (v4) => v4,
    (v4) => (0xffffn << 32n) + v4,
    (v4) => (0xffffn << 48n) + v4,
    (v4) => v6ToBigInt('64:ff9b::') + v4,
    (v4) => v6ToBigInt('64:ff9b:1::') + v4,
    (v4) => v6ToBigInt('2002::') + (v4 << 80n),
    (v4) => v6ToBigInt('2001:0:4136:e378:8000:63bf::') + (v4 ^ 0xffffffffn),
    (v4) => v6ToBigInt('2606:4700::5efe:0:0') + v4,
  ];
  fc.assert(
    fc.property(addresses(32n, REFUSED_V4), fc.constantFrom(...embeddings), (v4, embed) => {
      expect(isPublicAddress(v6FromBigInt(embed(v4)))).toBe(false);
    }),
  );
});

it('refuses a public address of this machine as a target', () => {
  const own = ['93.184.215.14', '2606:4700::1'].map((address) => ({ address }) as os.NetworkInterfaceInfo);
  const interfaces = jest.spyOn(os, 'networkInterfaces').mockReturnValue({ eth0: own });
  expect(['93.184.215.14', '2606:4700::1', '8.8.8.8', '10.0.0.1'].map(isTargetAddress)).toEqual([
    false,
    false,
    true,
    false,
  ]);
  interfaces.mockRestore();
});

it.each([
  '',
  'example.com',
  '127.1',
  '0177.0.0.1',
  '2130706433',
  '8.8.8.8.',
  ' 8.8.8.8',
  '08.8.8.8',
  '[2606:4700::1]',
  '2606:4700::1%eth0',
  '8.8.8.8/32',
])('refuses "%s", which is not a canonical address', (text) => {
  expect(isPublicAddress(text)).toBe(false);
});
