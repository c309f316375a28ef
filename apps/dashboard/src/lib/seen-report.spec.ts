import fc from 'fast-check';
import { bodyShape } from './body-shape.js';
import { requestParts } from './request-parts.js';
import { SeenParts } from './seen-parts.js';
import { seenReport } from './seen-report.js';

const partsOf = (body: string | null, contentType = 'application/json', query = '') =>
  requestParts({ targetUrl: `https://api.example.com/v1/payouts${query}`, body }, contentType);

/** Of a request with this body: what is reported when these rows were on the screen. */
function reportOf(body: string, rows: DOMStringMap[], contentType?: string, query?: string): string[] {
  const seen = new SeenParts(partsOf(body, contentType, query));
  for (const row of rows) seen.note(row);
  return seenReport(seen, body);
}
const row = (part: string, shown?: number): DOMStringMap => ({
  part,
  ...(shown !== undefined && { shown: String(shown) }),
});

describe('the values of a request', () => {
  it('have pointers: of the query, of JSON at any depth, and of empty lists and objects', () => {
    const { parts } = partsOf('{"a/b":{"c":[1,{}]},"d":[]}', 'application/json', '?x=1');
    expect(parts.map(({ id, pointer }) => [id, pointer])).toEqual([
      ['q.0', '/query/x'],
      ['b.0.0.0', '/body/a~1b/c/0'],
      ['b.0.0.1', '/body/a~1b/c/1'],
      ['b.1', '/body/d'],
    ]);
  });

  it('have a place where a name of a form stands more than once', () => {
    const { parts } = partsOf('to=a&to=b&amount=4', 'application/x-www-form-urlencoded');
    expect(parts.map(({ pointer }) => pointer)).toEqual(['/body/to/0', '/body/to/1', '/body/amount']);
  });

  it('are one for a text or bytes, and none for no body', () => {
    expect(partsOf('hello', 'text/plain').parts).toEqual([{ id: 't', pointer: '/body', span: [0, 5] }]);
    const bytes = requestParts({ targetUrl: 'https://a.example/', body: '/9g=', bodyEncoding: 'base64' }, 'image/png');
    expect([bytes.parts, partsOf(null).parts]).toEqual([[{ id: 't', pointer: '/body' }], []]);
  });

  it('are counted where there are more than are followed', () => {
    const { parts, more, firstOther } = partsOf(JSON.stringify(Array(6000).fill(1)));
    expect([parts.length, more, firstOther]).toEqual([5000, 1000, '/body/5000']);
  });
});

describe('the beginning of a long body', () => {
  const beginnings: [string, string][] = [
    ['{"a":1}', 'application/json'],
    ['1234', 'application/json'],
    ['to=a&amount=4', 'application/x-www-form-urlencoded'],
    ['hello', 'text/plain'],
  ];

  it.each(beginnings)('%s is text, and never all of it was on the screen', (body, type) => {
    const targetUrl = 'https://a.example/?x=1';
    const seen = new SeenParts(requestParts({ targetUrl, body, bodyTruncated: true }, type));
    expect(seen.request.parts.map(({ pointer }) => pointer)).toEqual(['/body', '/query/x']);
    for (const shown of [row('q.0'), row('b.0'), row('b.1'), { from: '0', to: String(body.length) }]) seen.note(shown);
    expect(seen.request.parts.filter((part) => !seen.isWhole(part)).map(({ id }) => id)).toEqual(['t']);
    expect(seenReport(seen, body)).toEqual(['/query', `bytes=0-${body.length - 1}`]);
    expect(bodyShape(body, undefined, type, true)).toMatchObject({ json: null, isForm: false, view: 'text' });
  });

  it('counts too where it is bytes or a form with files', () => {
    const shown = {
      targetUrl: 'https://a.example/',
      body: '/9g=',
      bodyEncoding: 'base64',
      bodyTruncated: true,
    } as const;
    expect(requestParts(shown, 'image/png').parts.map(({ id }) => id)).toEqual(['t']);
    const parts = [{ name: 'file', contentType: 'image/png', size: 9 }];
    expect(requestParts({ ...shown, parts }, 'multipart/form-data').parts.map(({ id }) => id)).toEqual(['t', 'b.0']);
  });
});

describe('what was on the screen', () => {
  const BODY = '{"amount":4,"to":{"name":"Bo","tags":["x","y"]}}';

  it('is as few pointers as possible', () => {
    const all = ['b.0', 'b.1.0', 'b.1.1.0', 'b.1.1.1'];
    expect(
      reportOf(
        BODY,
        all.map((id) => row(id)),
      ),
    ).toEqual(['/body']);
    expect(
      reportOf(
        BODY,
        ['b.0', 'b.1.1.0', 'b.1.1.1'].map((id) => row(id)),
      ),
    ).toEqual(['/body/amount', '/body/to/tags']);
    expect(reportOf(BODY, [])).toEqual([]);
  });

  it('names a key that stands twice only when both were there', () => {
    const body = '{"a":1,"a":2,"b":3}';
    expect(reportOf(body, [row('b.0'), row('b.2')])).toEqual(['/body/b']);
    expect(reportOf(body, [row('b.0'), row('b.1'), row('b.2')])).toEqual(['/body']);
  });

  it('is the bytes of the beginning of a folded value, and never more', () => {
    const body = `{"é":"${'x'.repeat(500)}","n":1}`;
    const [pointer, range] = reportOf(body, [row('b.0', 80), row('b.1')]);
    expect(pointer).toBe('/body/n');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range!)!.map(Number);
    expect(new TextDecoder().decode(new TextEncoder().encode(body).slice(from, to! + 1))).toBe(`"${'x'.repeat(80)}`);
    // It was unfolded later.
    expect(reportOf(body, [row('b.0', 80), row('b.0'), row('b.1')])).toEqual(['/body']);
  });

  it('is the ranges of a text, joined, and all of it when they meet', () => {
    const text = 'one\ntwo\nthree';
    const block = (from: number, to: number): DOMStringMap => ({ from: String(from), to: String(to) });
    expect(reportOf(text, [block(8, 13), block(0, 4)], 'text/plain')).toEqual(['bytes=0-3', 'bytes=8-12']);
    expect(reportOf(text, [block(8, 13), block(0, 4), block(4, 8)], 'text/plain')).toEqual(['/body']);
  });

  it('counts JSON that was read as text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
        const body = JSON.stringify(value);
        const seen = new SeenParts(partsOf(body));
        seen.note({ from: '0', to: String(body.length) });
        expect(seen.request.parts.filter((part) => !seen.isWhole(part))).toEqual([]);
        expect(seenReport(seen, body)).toEqual(['/body']);
      }),
    );
  });

  it('does not say that all was there where some values were not followed', () => {
    const body = JSON.stringify({ list: Array(6000).fill(1), last: 2 });
    const rows = Array.from({ length: 5000 }, (_, index) => row(`b.0.${index}`));
    const report = reportOf(body, rows);
    expect(report).toHaveLength(100);
    expect(report[0]).toBe('/body/list/0');
  });
});
