import { toPlace } from './known-places.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

it.each([
  [FIREFOX, '203.0.113.7', 'Firefox on Linux', '203.0.0.0/16'],
  [FIREFOX.replaceAll('140.0', '141.0'), '203.0.7.1', 'Firefox on Linux', '203.0.0.0/16'],
  [FIREFOX, '2001:db8:1:2::3', 'Firefox on Linux', '2001:db8::/32'],
  [FIREFOX, 'fe80::1%eth0', 'Firefox on Linux', 'fe80::/32'],
  [null, null, 'Unknown device', 'unknown'],
  ['<script>', '127.0.0.1', 'Unknown device', '127.0.0.0/16'],
])('%j from %j is %j in %j', (userAgent, address, device, network) =>
  expect(toPlace({ userAgent, address, requestId: null })).toEqual({ device, network }),
);
