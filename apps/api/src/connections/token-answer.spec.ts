import fc from 'fast-check';
import { ProviderFailure } from './provider-failure.js';
import { readTokenAnswer } from './token-answer.js';

const read = (status: number, body: unknown, redirectUri?: string) =>
  readTokenAnswer(status, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), redirectUri);

function failure(status: number, body: unknown, redirectUri?: string): ProviderFailure {
  try {
    read(status, body, redirectUri);
  } catch (error) {
    if (error instanceof ProviderFailure) return error;
    throw error;
  }
  throw new Error('the answer was taken for a token');
}

describe('an answer with a token', () => {
  const plain = { accessToken: 'a', refreshToken: null, expiresIn: null, refreshExpiresIn: null, scopes: null };

  it.each<[string, unknown, object]>([
    ['no type', { access_token: 'a', expires_in: 3600, scope: 'read' }, { expiresIn: 3600, scopes: ['read'] }],
    ['an unknown type', { access_token: 'a', token_type: 'bot' }, {}],
    ['a type that is no text', { access_token: 'a', token_type: 7 }, {}],
    [
      'null everywhere',
      { access_token: 'a', token_type: null, expires_in: null, scope: null, refresh_token: null, error: null },
      {},
    ],
    [
      'empty members',
      { access_token: 'a', expires_in: '', scope: '', refresh_token: '', error: '', id_token: '' },
      { scopes: [] },
    ],
    ['a lifetime as text', { access_token: 'a', expires_in: '3600' }, { expiresIn: 3600 }],
    ['a lifetime that means nothing', { access_token: 'a', expires_in: true }, {}],
    ['a lifetime that is a list', { access_token: 'a', expires_in: [7] }, {}],
    ['no lifetime left', { access_token: 'a', expires_in: 0 }, {}],
    ['a negative lifetime', { access_token: 'a', expires_in: -60 }, {}],
    ['a lifetime for ever', { access_token: 'a', expires_in: 1e300 }, { expiresIn: 315_360_000 }],
    ['scopes as a list', { access_token: 'a', scope: ['read', 'write', 7] }, { scopes: ['read', 'write'] }],
    ['scopes with commas', { access_token: 'a', scope: 'read,write' }, { scopes: ['read', 'write'] }],
    ['scopes as an object', { access_token: 'a', scope: { read: true } }, {}],
    ['an id_token that is none', { access_token: 'a', id_token: 'x.y.z' }, {}],
    ['an error beside it', { access_token: 'a', error: 'invalid_grant', ok: false }, {}],
    ['a line break at its end', { access_token: 'a\n', refresh_token: ' r \n' }, { refreshToken: 'r' }],
    ['a byte order mark', '\ufeff{"access_token":"a"}', {}],
    ['the form of a query', 'access_token=a&scope=read%2Cwrite&token_type=bearer', { scopes: ['read', 'write'] }],
  ])('is accepted with %s', (_case, body, expected) => {
    expect(read(200, body)).toEqual({ ...plain, ...expected });
  });

  it('is accepted with every 2xx status', () => {
    expect(read(201, { access_token: 'a' })).toEqual(plain);
  });

  it('is accepted whatever its other members are, and gives only lifetimes and scopes within the allowed limits', () => {
    const name = fc.constantFrom(
      ...'token_type expires_in refresh_token refresh_expires_in refresh_token_expires_in scope id_token error ok'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(name, fc.string()), fc.jsonValue()), fc.boolean(), (others, mark) => {
        const text = `${mark ? '\ufeff' : ''}${JSON.stringify({ ...others, access_token: 'a-1' })}`;
        const tokens = read(200, text);
        expect(tokens.accessToken).toBe('a-1');
        for (const seconds of [tokens.expiresIn, tokens.refreshExpiresIn]) {
          expect(seconds === null || (seconds > 0 && seconds <= 315_360_000)).toBe(true);
        }
        expect(tokens.scopes ?? []).toEqual((tokens.scopes ?? []).filter((scope) => /^[\x21-\x7e]+$/.test(scope)));
      }),
    );
  });
});

describe('an answer without a token', () => {
  it.each<[number, unknown]>([
    [400, { error: 'invalid_grant' }],
    [401, { error: 'invalid_grant' }],
    [200, { error: 'bad_refresh_token' }],
    [200, { ok: false, error: 'invalid_refresh_token' }],
    [400, { error: 'interaction_required' }],
    [400, { status: 'BAD_REFRESH_TOKEN', message: 'missing or invalid refresh token' }],
    [400, { errors: [{ code: 'invalid_grant' }] }],
    [400, { errors: ['invalid_grant'] }],
    [400, { error: { code: 'invalid_grant', message: 'no' } }],
    [400, { error: { status: 400, type: 'InvalidGrant' } }],
    [400, { error: { errors: [{ reason: 'invalidGrant' }] } }],
    [400, { errorCode: 'INVALID_GRANT' }],
    [400, { error: null, error_code: 'refresh-token-expired' }],
    [403, { error: 'unauthorized_client', error_description: 'refresh_token is invalid' }],
    [400, { error: true, status: 400, message: 'Invalid refresh token' }],
    [400, { error: 'invalid_request', error_description: 'The refresh token has expired or was revoked' }],
    [200, { error: 'invalid_code', access_token: null }],
    [200, '\ufeff{"error":"token_revoked","access_token":""}'],
    [200, 'error=bad_refresh_token&error_description=The+token+is+bad'],
  ])('says that the grant has ended: %s %j', (status, body) => {
    expect(failure(status, body).kind).toBe('rejected');
  });

  it.each<[number, unknown]>([
    [400, { error: 'invalid_request' }],
    [400, { error: 'invalid_scope' }],
    [401, { error: 'invalid_client' }],
    [400, { error: 'invalid_client', error_description: 'Invalid refresh token or client' }],
    [400, { error: 'invalid_request', error_description: 'Missing parameter refresh_token' }],
    [400, { error: 'temporarily_unavailable', errors: ['invalid_grant'] }],
    [200, { ok: false, error: 'ratelimited' }],
    [200, { access_token: null }],
    [200, {}],
    [200, []],
    [200, 'null'],
    [200, ''],
    [404, '<html>error=invalid_grant</html>'],
    [302, { error: 'invalid_grant' }],
  ])('does not say that the grant has ended: %s %j', (status, body) => {
    expect(failure(status, body).kind).toBe('failed');
  });

  it('never ends a connection during an outage, whatever it says', () => {
    const outage = fc.constantFrom(408, 425, 429, 500, 502, 503, 504, 599);
    const word = fc.oneof(fc.constantFrom('invalid_grant', 'bad_refresh_token', 'Invalid refresh token'), fc.string());
    const shape = word.chain((text) =>
      fc.constantFrom<unknown>({ error: text }, { errors: [text] }, { error: { code: text } }, { status: text }, text),
    );
    fc.assert(fc.property(outage, shape, (status, body) => failure(status, body).kind === 'failed'));
  });

  it('throws only a ProviderFailure, whose message repeats no unexpected text', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
      fc
        .dictionary(fc.constantFrom('error', 'errors', 'code', 'status', 'message'), fc.jsonValue())
        .map((value) => Buffer.from(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), bytes, (status, body) => {
        try {
          readTokenAnswer(status, body);
        } catch (error) {
          expect(error).toBeInstanceOf(ProviderFailure);
          expect((error as ProviderFailure).message).toMatch(/^[\w .,:()-]{1,120}$/);
        }
      }),
    );
  });

  it('names the redirect URI if that is the reason', () => {
    const uri = 'https://gateway.example.com/oauth/callback';
    const sentence = `does not accept the redirect URI ${uri}. Enter exactly this one at the provider`;
    for (const body of [
      { error: 'redirect_uri_mismatch' },
      { error: 'invalid_grant', error_description: 'redirect_uri did not match the registered one' },
    ]) {
      expect(failure(400, body, uri)).toMatchObject({ kind: 'failed', message: expect.stringContaining(sentence) });
    }
    const every = 'The grant is invalid, expired, revoked or does not match the redirect URI';
    expect(failure(400, { error: 'invalid_grant', error_description: every }, uri)).toMatchObject({
      kind: 'rejected',
      message: 'The provider answered 400 invalid_grant',
    });
  });
});
