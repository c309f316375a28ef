import { hash } from 'node:crypto';
import { signed } from './aws.js';

/** From AWS's own test suite for Signature Version 4, and from its documentation of S3. */
const SUITE = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SUITE_TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = 'application/x-www-form-urlencoded';

type Vector = [
  name: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
  signature: string,
];
const VECTORS: Vector[] = [
  ['get-vanilla', 'GET', '/', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-header-key-duplicate',
    'GET',
    '/',
    { 'My-Header1': 'value2,value2,value1' },
    '',
    'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  ],
  [
    'get-header-value-order',
    'GET',
    '/',
    { 'My-Header1': 'value4,value1,value3,value2' },
    '',
    '08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01',
  ],
  [
    'get-header-value-trim',
    'GET',
    '/',
    { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' },
    '',
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
  [
    'get-unreserved',
    'GET',
    `/${UNRESERVED}`,
    {},
    '',
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-vanilla-empty-query-key',
    'GET',
    '/?Param1=value1',
    {},
    '',
    'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  ],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    {},
    '',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-query-unreserved',
    'GET',
    `/?${UNRESERVED}=${UNRESERVED}`,
    {},
    '',
    '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  ],
  [
    'get-vanilla-utf8-query',
    'GET',
    '/?ሴ=bar',
    {},
    '',
    '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  ],
  ['post-vanilla', 'POST', '/', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'post-header-key-sort',
    'POST',
    '/',
    { 'My-Header1': 'value1' },
    '',
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
  [
    'post-header-value-case',
    'POST',
    '/',
    { 'My-Header1': 'VALUE1' },
    '',
    'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  ],
  [
    'post-vanilla-query',
    'POST',
    '/?Param1=value1',
    {},
    '',
    '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  ],
  [
    'post-x-www-form-urlencoded',
    'POST',
    '/',
    { 'Content-Type': FORM },
    'Param1=value1',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
  [
    'post-x-www-form-urlencoded-parameters',
    'POST',
    '/',
    { 'Content-Type': `${FORM}; charset=utf8` },
    'Param1=value1',
    '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
  ],
];

const bytes = (body: string): Buffer | null => (body === '' ? null : Buffer.from(body));
const readSignature = (headers: Record<string, string>): string | undefined =>
  /Signature=(.*)$/.exec(headers.Authorization)?.[1];

it.each(VECTORS)('signs %s as the test suite of AWS says', (_name, method, path, headers, body, signature) => {
  const request = { url: new URL(`https://example.amazonaws.com${path}`), method, headers, body: bytes(body) };
  const at = new Date('2015-08-30T12:36:00Z');
  const sent = signed({ region: 'us-east-1', service: 'service' }, SUITE, request, at);
  expect(sent.headers).toMatchObject({ ...headers, 'X-Amz-Date': '20150830T123600Z' });
  expect(sent.headers.Authorization).toContain('Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request');
  expect(readSignature(sent.headers)).toBe(signature);
});

it('signs a session token, as post-sts-header-before says', () => {
  const request = { url: new URL('https://example.amazonaws.com/'), method: 'POST', headers: {}, body: null };
  const keys = { ...SUITE, sessionToken: SUITE_TOKEN };
  const { headers } = signed(
    { region: 'us-east-1', service: 'service' },
    keys,
    request,
    new Date('2015-08-30T12:36:00Z'),
  );
  expect(headers['X-Amz-Security-Token']).toBe(SUITE_TOKEN);
  expect(readSignature(headers)).toBe('85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead');
});

it.each([
  ['aoss', 'host;x-amz-content-sha256;x-amz-date', hash('sha256', '{"query":{}}', 'hex')],
  ['es', 'host;x-amz-date', undefined],
])('sends and signs the digest of the body where the service requires it: %s', (service, names, digest) => {
  const url = new URL('https://search.example.com/products/_search');
  const request = { url, method: 'POST', headers: {}, body: Buffer.from('{"query":{}}') };
  const { headers } = signed({ region: 'us-east-1', service }, SUITE, request, new Date('2015-08-30T12:36:00Z'));
  expect(headers['X-Amz-Content-Sha256']).toBe(digest);
  expect(headers.Authorization).toContain(`/${service}/aws4_request, SignedHeaders=${names}, Signature=`);
});

describe('S3', () => {
  const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  const sign = (method: string, path: string, headers: Record<string, string> = {}, body: Buffer | null = null) =>
    signed(
      { region: 'us-east-1', service: 's3' },
      KEYS,
      { url: new URL(`https://examplebucket.s3.amazonaws.com${path}`), method, headers, body },
      new Date('2013-05-24T00:00:00Z'),
    );

  it.each([
    ['GET', '/?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['GET', '/?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('signs %s %s as the documentation says', (method, path, signature) => {
    expect(readSignature(sign(method, path).headers)).toBe(signature);
  });

  it('signs an upload as the documentation says, with the digest of its bytes', () => {
    const given = { Date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
    const { headers } = sign('PUT', '/test%24file.text', given, Buffer.from('Welcome to Amazon S3.'));
    expect(headers['X-Amz-Content-Sha256']).toBe('44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072');
    expect(readSignature(headers)).toBe('98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd');
  });

  it('sends its own header only once', () => {
    const held = { 'x-amz-date': '20200101T000000Z', 'x-amz-security-token': 'mine' };
    const { headers } = sign('PUT', '/a', held, Buffer.from('a'));
    expect(Object.keys(headers).sort()).toEqual(['Authorization', 'X-Amz-Content-Sha256', 'X-Amz-Date']);
  });

  it('refuses a path that it cannot sign', () => {
    expect(() => sign('GET', '/%zz')).toThrow(expect.objectContaining({ kind: 'not_sent' }));
  });
});
