import fc from 'fast-check';
import { isUuid, readClaims } from './tokens.js';

const NOW = 1_800_000_000;
const good = {
  sub: '7',
  jti: '11111111-1111-4111-8111-111111111111',
  sid: '22222222-2222-4222-8222-222222222222',
  typ: 'access',
  iat: NOW,
  exp: NOW + 900,
};

describe('readClaims', () => {
  it('reads a complete payload', () => {
    expect(readClaims(good, 'access', NOW)).toEqual({
      userId: 7,
      tokenId: good.jti,
      sessionId: good.sid,
      expiresAt: new Date((NOW + 900) * 1000),
    });
  });

  it('rejects a token of the other type', () => {
    expect(readClaims(good, 'refresh', NOW)).toBeNull();
    expect(readClaims({ ...good, typ: 'refresh' }, 'refresh', NOW)).not.toBeNull();
  });

  it('rejects a token from the second of its expiry on', () => {
    expect(readClaims(good, 'access', NOW + 899)).not.toBeNull();
    expect(readClaims(good, 'access', NOW + 900)).toBeNull();
  });

  it('accepts an issue time up to one minute in the future', () => {
    expect(readClaims({ ...good, iat: NOW + 60 }, 'access', NOW)).not.toBeNull();
    expect(readClaims({ ...good, iat: NOW + 61 }, 'access', NOW)).toBeNull();
  });

  it('rejects a token before its "not before" time', () => {
    expect(readClaims({ ...good, nbf: NOW }, 'access', NOW)).not.toBeNull();
    expect(readClaims({ ...good, nbf: NOW + 1 }, 'access', NOW)).toBeNull();
  });

  it('returns null for a payload with any malformed claim, and never throws', () => {
    const claim = fc.constantFrom('sub', 'jti', 'sid', 'typ', 'iat', 'exp');
    // No claim accepts an object, a fraction, or text with a space in it.
    const junk = fc.oneof(
      fc.constantFrom(undefined, null, NaN, Infinity, -Infinity, true, ''),
      fc.object(),
      fc.array(fc.anything()),
      fc.string().map((text) => ` ${text}`),
      fc.integer().map((n) => n + 0.5),
    );
    fc.assert(
      fc.property(claim, junk, (name, value) => readClaims({ ...good, [name]: value }, 'access', NOW) === null),
    );
    fc.assert(fc.property(fc.anything(), (payload) => readClaims(payload, 'access', NOW) === null));
  });

  it('accepts only user ids that the database can have', () => {
    for (const sub of ['0', '01', '-1', '1.5', '1e3', '2147483648', '9999999999', '0x1']) {
      expect([sub, readClaims({ ...good, sub }, 'access', NOW)]).toEqual([sub, null]);
    }
    expect(readClaims({ ...good, sub: '2147483647' }, 'access', NOW)?.userId).toBe(2_147_483_647);
  });
});

it('isUuid accepts exactly the uuids that PostgreSQL stores unchanged', () => {
  fc.assert(fc.property(fc.uuid(), (id) => isUuid(id)));
  fc.assert(fc.property(fc.string(), (text) => !isUuid(text)));
  fc.assert(fc.property(fc.uuid(), (id) => !isUuid(`${id}\n`) && !isUuid(` ${id}`)));
});
