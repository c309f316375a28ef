import type { Request } from 'express';
import { addressBlock, readRequestOrigin } from './request-origin.js';

const request = (ip: string | undefined, userAgent?: string) =>
  ({ ip, headers: { 'user-agent': userAgent }, requestId: 'r1' }) as unknown as Request;

describe('readRequestOrigin', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::5]:443', '2001:db8::5'],
    ['<script>', null],
    [undefined, null],
  ])('reads the address %p as %p', (ip, address) => {
    expect(readRequestOrigin(request(ip)).address).toBe(address);
  });

  it('truncates a long user agent', () => {
    expect(readRequestOrigin(request('192.0.2.1', 'x'.repeat(9000))).userAgent).toHaveLength(512);
    expect(readRequestOrigin(request('192.0.2.1')).userAgent).toBeNull();
  });
});

describe('addressBlock', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1', 'fe80::/64'],
    [null, 'unknown'],
  ])('counts %p as %p', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});
