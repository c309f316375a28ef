import fc from 'fast-check';
import { CREDENTIAL_MASK } from '#contracts/headers';
import type { RequestPart, RiskRequest } from './risk-verdict.js';
import { showRequest, type Unseen } from './shown-request.js';

const harmless: RiskRequest = {
  method: 'POST',
  targetUrl: 'https://api.example.com/v1/items',
  headers: { accept: 'application/json' },
  body: '{"a":1}',
  intent: 'Make an item',
};
const MAX_BYTES = 8192;

const listUnseen = (request: Partial<RiskRequest>, maxBytes = MAX_BYTES): Unseen[] =>
  showRequest({ ...harmless, ...request }, maxBytes).unseen;

describe('what the model sees', () => {
  const unit = fc.constantFrom('a', '"', '\\', '\0', '<', 'é', '\u202e', '\u{e0041}', '\ud800', '漢', '😀', '\n');
  const text = (max: number) =>
    fc
      .array(fc.tuple(unit, fc.nat(max / 4)), { maxLength: 8 })
      .map((runs) => runs.map(([c, n]) => c.repeat(n)).join(''));

  it('is every character of a part, or the part is named', () => {
    fc.assert(
      fc.property(
        text(2000),
        text(8000),
        text(40_000),
        fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 9 }), text(500)), { maxLength: 70 }),
        fc.integer({ min: 4096, max: 40_000 }),
        (intent, targetUrl, body, list, maxBytes) => {
          // The names of secrets are masked, and that is not what this test is about.
          const headers = Object.fromEntries(list.map(([name, value]) => [`x-${name.replace(/[a-z]/gi, '')}`, value]));
          const { data, unseen } = showRequest({ method: 'POST', intent, targetUrl, body, headers }, maxBytes);
          const named = new Set(unseen.map(({ part }) => part));
          const seen = data as Record<'intent' | 'targetUrl' | 'body' | 'headers', unknown>;
          const isWhole: Record<RequestPart, boolean> = {
            intent: seen.intent === intent,
            url: seen.targetUrl === targetUrl,
            body: seen.body === body,
            headers:
              JSON.stringify(seen.headers) ===
              JSON.stringify(Object.entries(headers).map(([name, value]) => ({ name, value }))),
          };
          for (const [part, whole] of Object.entries(isWhole))
            expect([part, named.has(part as RequestPart)]).toEqual([part, !whole]);
          for (const { bytes } of unseen) expect(bytes).toBeGreaterThan(0);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('is no more text than the limit, and nearly as much if there is more', () => {
    fc.assert(
      fc.property(text(100_000), fc.integer({ min: 4096, max: 40_000 }), (body, maxBytes) => {
        const { data, unseen } = showRequest({ ...harmless, body }, maxBytes);
        if (unseen.length === 0) return;
        const { head, tail } = (data as { body: { head: string; tail: string } }).body;
        expect(body.startsWith(head) && body.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(maxBytes);
        // One character can need twelve bytes in JSON, so at least a twelfth of the limit is used.
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeGreaterThan(maxBytes / 12);
      }),
      { numRuns: 50 },
    );
  });

  it.each<[string, string, Partial<RiskRequest>]>([
    ['url', 'query value', { targetUrl: `https://api.example.com/?token=${'do-this-'.repeat(600)}` }],
    [
      'url',
      'query value between empty ones',
      { targetUrl: `https://api.example.com/?key=${'x'.repeat(6000)}${'&key='.repeat(400)}` },
    ],
    ['headers', 'header', { headers: { 'x-session-note': 'do this '.repeat(600) } }],
    [
      'headers',
      'list of headers',
      { headers: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`x-key-${at}`, 'x'.repeat(600)])) },
    ],
    ['body', 'token', { body: `eyJ${'a'.repeat(4000)}.${'b'.repeat(400)}.${'c'.repeat(400)}` }],
  ])(
    'leaves out a part of the %s, and says so, if it masks a %s that is too long for a secret',
    (part, _what, request) => {
      expect(listUnseen(request)).toEqual([{ part, bytes: expect.any(Number) }]);
    },
  );

  it('is cut only in the part that is long', () => {
    const long = 'b'.repeat(100_000);
    expect(listUnseen({ body: long })).toEqual([{ part: 'body', bytes: expect.any(Number) }]);
    expect(listUnseen({ headers: { accept: long } })).toEqual([{ part: 'headers', bytes: expect.any(Number) }]);
    expect(listUnseen({ targetUrl: `https://api.example.com/?q=${long}` })).toEqual([
      { part: 'url', bytes: expect.any(Number) },
    ]);
  });

  it('says how much is missing', () => {
    const [{ bytes }] = listUnseen({ body: 'b'.repeat(100_000) });
    const others = harmless.intent.length + harmless.targetUrl.length + 'accept'.length + 'application/json'.length;
    expect(bytes).toBe(100_000 - (MAX_BYTES - others));
  });

  it('counts headers that are left out', () => {
    const headers = Object.fromEntries(Array.from({ length: 53 }, (_, n) => [`x-${n + 10}`, 'value']));
    expect(listUnseen({ headers })).toEqual([{ part: 'headers', bytes: 3 * 'x-10value'.length }]);
  });

  it('names a body if the model gets only a description of it', () => {
    expect(listUnseen({ body: '\0'.repeat(300), bodyDescription: '(a binary body of 300 bytes)' })).toEqual([
      { part: 'body', bytes: 300, isDescribed: true },
    ]);
  });

  it('is whole if only secrets are missing', () => {
    const token = `eyJ${'a'.repeat(1000)}.${'b'.repeat(1000)}.${'c'.repeat(1000)}`;
    expect(listUnseen({ body: `{"list":["${token}"]}` })).toEqual([]);
    expect(listUnseen({ headers: { 'x-api-key': 'k'.repeat(4000) } })).toEqual([]);
    expect(listUnseen({ targetUrl: `https://api.example.com/?access_token=${'t'.repeat(4000)}` })).toEqual([]);
  });

  it('never includes a part of a secret at the edge of a long text, wherever other secrets are', () => {
    const token = (letter: string): string => `eyJ${letter.repeat(1200)}.${letter.repeat(1200)}.${letter.repeat(1200)}`;
    fc.assert(
      fc.property(fc.array(fc.nat(1500), { minLength: 3, maxLength: 12 }), (gaps) => {
        const secrets = gaps.map((gap) => `${'-\n'.repeat(gap)} ${token('s')} `).join('');
        const { data } = showRequest({ ...harmless, body: `${secrets}${'-\n'.repeat(50_000)}${secrets}` }, MAX_BYTES);
        expect(JSON.stringify(data)).not.toContain('ssss');
        expect(JSON.stringify(data)).toContain(CREDENTIAL_MASK);
      }),
    );
  });
});

it.each(['keyword', 'keywords', 'author', 'authors', 'author_id'])('shows what %s has, which is no secret', (name) => {
  const targetUrl = `https://a.example.com/x?${name}=every-customer`;
  const { data } = showRequest({ method: 'GET', targetUrl, headers: {}, body: null, intent: 'look' }, 32_768);
  expect(JSON.stringify(data)).toContain('every-customer');
});

it.each(['authorization', 'x-auth', 'api_key', 'keys', 'token'])('masks what %s has', (name) => {
  const targetUrl = `https://a.example.com/x?${name}=every-customer`;
  const { data } = showRequest({ method: 'GET', targetUrl, headers: {}, body: null, intent: 'look' }, 32_768);
  expect(JSON.stringify(data)).not.toContain('every-customer');
});
