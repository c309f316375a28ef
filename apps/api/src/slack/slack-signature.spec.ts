import fc from 'fast-check';
import { isSignedBy, readSlackSignature } from './slack-signature.js';

// The example of Slack's page "Verifying requests from Slack".
const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const BODY = Buffer.from(
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
);
const HEADERS = {
  'x-slack-request-timestamp': '1531420618',
  'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
};
const NOW = 1_531_420_618_000;

it('accepts the example of Slack', () => {
  const signature = readSlackSignature(HEADERS, NOW)!;
  expect(isSignedBy(signature, BODY, SECRET)).toBe(true);
  expect(isSignedBy(signature, BODY, `${SECRET}x`)).toBe(false);
  expect(isSignedBy(signature, BODY.subarray(1), SECRET)).toBe(false);
  expect(isSignedBy({ ...signature, timestamp: '1531420619' }, BODY, SECRET)).toBe(false);
});

it('refuses what is older or newer than five minutes', () => {
  expect(readSlackSignature(HEADERS, NOW + 300_000)).not.toBeNull();
  expect(readSlackSignature(HEADERS, NOW + 300_001)).toBeNull();
  expect(readSlackSignature(HEADERS, NOW - 300_001)).toBeNull();
});

it('refuses every other form of the headers', () => {
  const { 'x-slack-signature': signature } = HEADERS;
  for (const bad of [
    undefined,
    '',
    signature.slice(3),
    signature.toUpperCase(),
    `${signature}0`,
    `v1${signature.slice(2)}`,
  ])
    expect(readSlackSignature({ ...HEADERS, 'x-slack-signature': bad }, NOW)).toBeNull();
  for (const bad of [undefined, '', 'now', '1531420618.5', '-1', '1e9', '9'.repeat(13)])
    expect(readSlackSignature({ ...HEADERS, 'x-slack-request-timestamp': bad }, NOW)).toBeNull();
  fc.assert(
    fc.property(fc.string(), fc.string(), (timestamp, hex) => {
      const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': hex };
      expect(readSlackSignature(headers, NOW)).toBeNull();
    }),
  );
});
