import { baseUrlAgentKey } from './base-url-agent-key.js';

const KEY = `agt_${'a1'.repeat(32)}`;
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  ['authorization', `Bearer ${KEY}`],
  ['authorization', `bearer  ${KEY}`],
  ['authorization', `token ${KEY}`],
  ['authorization', `Bot ${KEY}`],
  ['authorization', basic(`${KEY}:`)],
  ['authorization', basic(`me@example.com:${KEY}`)],
  ['authorization', basic(`${KEY}:x-oauth-basic`)],
  [
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${KEY}/20260101/eu-central-1/s3/aws4_request, SignedHeaders=host, Signature=0`,
  ],
  [
    'authorization',
    `AWS4-HMAC-SHA256 SignedHeaders=host, Credential=${KEY}/20260101/eu-central-1/s3/aws4_request,Signature=0`,
  ],
  ['x-api-key', KEY],
  ['api-key', KEY],
  ['x-goog-api-key', KEY],
  ['private-token', KEY],
])('finds the key in %s: %s', (name, value) => {
  expect(baseUrlAgentKey({ [name]: value })).toBe(KEY);
});

it.each([
  ['authorization', KEY],
  ['authorization', 'Bearer sk-123'],
  ['authorization', `Digest ${KEY}`],
  ['authorization', 'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/eu-central-1/s3/aws4_request, Signature=0'],
  ['authorization', 'Basic !!!'],
  ['authorization', basic('ada:secret')],
  ['authorization', basic(KEY)],
  ['x-api-key', 'sk-123'],
  ['x-other', KEY],
])('finds no key in %s: %s', (name, value) => {
  expect(baseUrlAgentKey({ [name]: value })).toBeUndefined();
});
