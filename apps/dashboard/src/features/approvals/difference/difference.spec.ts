import fc from 'fast-check';
import { changedLines } from './changed-lines.js';
import { compareRequests, isSame, type SentRequest } from './difference.js';

const request = (fields: Partial<SentRequest> = {}): SentRequest => ({
  method: 'POST',
  targetUrl: 'https://api.example.com/refunds',
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  body: null,
  ...fields,
});
const bodies = (before: string | null, after: string | null) =>
  compareRequests(request({ body: before }), request({ body: after })).body;
const fields = (before: unknown, after: unknown) => {
  const body = bodies(JSON.stringify(before), JSON.stringify(after));
  return body?.kind === 'fields'
    ? body.fields.map((field) => [field.path, field.before, field.after])
    : (body?.kind ?? null);
};

it('finds no difference between equal requests', () => {
  expect(
    isSame(
      compareRequests(
        request(),
        request({ headers: { accept: 'application/json', 'content-type': 'application/json' } }),
      ),
    ),
  ).toBe(true);
});

it('names method, URL and each header that was changed, added or removed', () => {
  const before = request({ headers: { Accept: 'text/plain', 'X-Old': '1' } });
  const after = request({ method: 'PUT', targetUrl: 'https://x/', headers: { accept: 'text/html', 'X-New': '2' } });
  expect(compareRequests(before, after).parts).toEqual([
    { part: 'method', name: '', before: 'POST', after: 'PUT' },
    { part: 'url', name: '', before: 'https://api.example.com/refunds', after: 'https://x/' },
    { part: 'header', name: 'accept', before: 'text/plain', after: 'text/html' },
    { part: 'header', name: 'X-Old', before: '1', after: null },
    { part: 'header', name: 'X-New', before: null, after: '2' },
  ]);
});

describe('a JSON body', () => {
  it('differs by field, at any depth', () => {
    expect(fields({ a: 1, b: { c: [{ d: 'x' }] } }, { a: 1, b: { c: [{ d: 'y' }] } })).toEqual([
      ['b.c[0].d', '"x"', '"y"'],
    ]);
    expect(fields({ old: true, 'a key': 1 }, { new: null, 'a key': 2 })).toEqual([
      ['old', 'true', null],
      ['["a key"]', '1', '2'],
      ['new', null, 'null'],
    ]);
  });

  it('has one change where one item was inserted or removed', () => {
    expect(fields([1, 2, 3], [1, 9, 2, 3])).toEqual([['[1]', null, '9']]);
    expect(fields({ to: ['a', 'b', 'c'] }, { to: ['a', 'c'] })).toEqual([['to[1]', '"b"', null]]);
  });

  it('keeps the digits of numbers, which a parser would round', () => {
    const body = bodies('{"id":12345678901234567890}', '{"id":12345678901234567891}');
    expect(body).toEqual({
      kind: 'fields',
      fields: [{ path: 'id', before: '12345678901234567890', after: '12345678901234567891' }],
    });
  });

  it('says that only its form was changed', () => {
    expect(bodies('{"a":1,"b":2}', '{ "b": 2, "a": 1 }')).toEqual({ kind: 'form' });
  });

  it.each(['text/plain', 'text/plain; profile=json', 'application/x-ndjson', 'application/json-seq'])(
    'is compared by line where the type is %s',
    (type) => {
      const headers = { 'Content-Type': type };
      const before = request({ headers, body: '{"a":1}' });
      const after = request({ headers, body: '{ "a": 1 }' });
      expect(compareRequests(before, after).body).toMatchObject({ kind: 'lines' });
    },
  );

  it.each(['application/problem+json', 'Application/JSON ; charset=utf-8'])('is compared by field as %s', (type) => {
    const headers = { 'Content-Type': type };
    const before = request({ headers, body: '{"a":1}' });
    const after = request({ headers, body: '{"a":2}' });
    expect(compareRequests(before, after).body).toMatchObject({ kind: 'fields' });
  });

  it('is compared by line where a key is repeated, so that no value is lost', () => {
    expect(bodies('{"a":1,"a":2}', '{"a":2}')).toMatchObject({ kind: 'lines' });
  });
});

it('compares other texts by line, and folds equal lines between changes', () => {
  expect(bodies('a\nb\nc\nd\ne\nf\ng', 'a\nb\nc\nd\ne\nf\nG')).toEqual({
    kind: 'lines',
    lines: [
      { kind: 'skipped', count: 4 },
      { kind: 'same', text: 'e' },
      { kind: 'same', text: 'f' },
      { kind: 'removed', text: 'g' },
      { kind: 'added', text: 'G' },
    ],
  });
  expect(bodies('x', null)).toEqual({ kind: 'lines', lines: [{ kind: 'removed', text: 'x' }] });
  expect(compareRequests(request({ body: 'AP8=', bodyEncoding: 'base64' }), request({ body: 'x' })).body).toEqual({
    kind: 'bytes',
  });
});

it('loses no line of either text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = changedLines(before.join('\n'), after.join('\n'));
      const count = (...kinds: string[]) =>
        parts.reduce(
          (sum, part) => sum + (kinds.includes(part.kind) ? (part.kind === 'skipped' ? part.count : 1) : 0),
          0,
        );
      const size = (lines: string[]) => (lines.join('\n') === '' ? 0 : lines.length);
      expect(count('same', 'skipped', 'removed')).toBe(size(before));
      expect(count('same', 'skipped', 'added')).toBe(size(after));
    }),
  );
});
