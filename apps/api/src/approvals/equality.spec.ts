import fc from 'fast-check';
import { Payload } from '../egress/payload.js';
import { denialHashes, joiningHash, targetHash, type Compared } from './equality.js';

interface Given {
  url?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | null;
  method?: Compared['method'];
  serviceId?: number;
  isAws?: boolean;
}

async function compared({
  url = 'https://a.example/v1/x',
  headers = {},
  body = null,
  method = 'POST',
  serviceId = 1,
  isAws = false,
}: Given): Promise<Compared> {
  const payload = body === null ? null : await Payload.of(body, headers, { maxBytes: 10_000_000 });
  return { serviceId, isAws, method, url: new URL(url), headers, body: payload };
}

const isHeld = async (denied: Given, again: Given): Promise<boolean> => {
  const [one, other] = [await compared(denied), await compared(again)];
  const hashes = denialHashes(one);
  return targetHash(one) === targetHash(other) && denialHashes(other).some((each) => hashes.includes(each));
};

const JSON_TYPE = { 'Content-Type': 'application/json' };
const multipart = (boundary: string): Given => ({
  headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
  body: `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`,
});

const form = (...fields: string[]): Given => ({
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  body: `${fields
    .map((field) => field.split('='))
    .map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--x--\r\n`,
});

const related = (body: string): Given => ({ headers: { 'content-type': 'multipart/related; boundary=x' }, body });

const json = (body: string | Buffer, more = ''): Given => ({
  headers: { 'content-type': `application/json${more}` },
  body,
});
const withToken = (token: string): Given => json(`{"a":1,"ClientToken":"${token}"}`);

const fields = (count: number, first: string, second: string): Given => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: `${first}&${second}${'&c'.repeat(count - 2)}`,
});
/** The list counts too. */
const values = (count: number, blank: string): Given => ({
  headers: JSON_TYPE,
  body: `[${'1,'.repeat(count - 2)}${blank}1]`,
});
const parts = (count: number, blank: string): Given =>
  related(`${`--x\r\n${blank}y: z\r\n\r\n\r\n`.repeat(count)}--x--`);
/** The line counts too. */
const heads = (count: number, blank: string): Given => {
  const head = (pieces: number): string => `--x\r\n${blank}y:${';'.repeat(pieces - 1)}\r\n\r\n\r\n`;
  return related(`${head(10_000).repeat(4)}${head(count - 40_000)}--x--`);
};

describe('a denial holds a request', () => {
  it.each<[string, Given, Given]>([
    ['with other headers', {}, { headers: { traceparent: '00-1', 'X-Anything': 'y', 'Idempotency-Key': 'k' } }],
    ['with another spelling of a letter', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v%31/%78' }],
    ['with more slashes', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v1//x/' }],
    ['with an encoded slash', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v1%2Fx' }],
    ['with letters in another case', { url: 'https://a.example/v1/orders' }, { url: 'https://a.example/v1/Orders' }],
    ['with a parameter of the path', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v1;a=1/x;b' }],
    ['with a blank at its end', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v1/x%20' }],
    ['with a final dot', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v1/x%2e' }],
    ['encoded twice', { url: 'https://a.example/v1/5' }, { url: 'https://a.example/v1/%2535' }],
    [
      'with dots that only a server resolves',
      { url: 'https://a.example/v1/x' },
      { url: 'https://a.example/v1/y/%252e%252e/x' },
    ],
    ['with a backslash', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v1%5Cx' }],
    ['cut by some servers', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v1/x%00.json' }],
    ['with a fragment', {}, { url: 'https://a.example/v1/x#y' }],
    [
      'with parameters in another order',
      { url: 'https://a.example/?a=1&b=%20' },
      { url: 'https://a.example/?b=+&a=1&' },
    ],
    [
      'with keys of JSON in another order',
      { headers: JSON_TYPE, body: '{"a":[1,{"c":2,"b":"é"}],"b":1.0}' },
      {
        headers: { 'content-type': 'application/json; Charset=UTF-8' },
        body: ' {"b":1, "\\u0061":[1.0e0 ,{"b":"\\u00e9","c":2}]}',
      },
    ],
    [
      'with fields of a form in another order',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1&b=2' },
      { headers: { 'content-type': 'Application/X-WWW-Form-Urlencoded;charset=utf-8' }, body: 'b=%32&a=1' },
    ],
    ['with a parameter without a value', { url: 'https://a.example/?force' }, { url: 'https://a.example/?force=' }],
    [
      'with zeros before an exponent',
      { headers: JSON_TYPE, body: '{"a":50}' },
      { headers: JSON_TYPE, body: '{"a":5e00000000001}' },
    ],
    [
      'with a parameter of the content type that servers ignore',
      { headers: JSON_TYPE, body: '{"a":1}' },
      { headers: { 'content-type': 'application/json; v=1; charset=US-ASCII' }, body: '{"a":1}' },
    ],
    [
      'with another parameter of a form',
      multipart('one'),
      { ...multipart('one'), headers: { 'content-type': 'multipart/form-data; boundary=one; v=1' } },
    ],
    ['with another boundary', multipart('one'), multipart('two')],
    ['with 50,000 fields in another order', fields(50_000, 'a', 'b'), fields(50_000, 'b', 'a')],
    ['with 100,000 values of JSON and one more blank', values(100_000, ''), values(100_000, ' ')],
    ['with 10,000 parts and one more blank', parts(10_000, ''), parts(10_000, ' ')],
    ['with 50,000 lines and parameters in heads and one more blank', heads(50_000, ''), heads(50_000, ' ')],
    [
      'with other heads of the parts of a form',
      multipart('one'),
      {
        ...multipart('one'),
        body: '--one\r\ncontent-type: text/plain;charset=UTF-8\r\nX-Part: 1\r\ncontent-disposition: Form-Data;name=a\r\n\r\n1\r\n--one--\r\n',
      },
    ],
    ['with the parts of a form in another order', form('a=1', 'b=2'), form('b=2', 'a=1')],
    [
      'with another charset spelling',
      { headers: { 'content-type': 'text/plain;charset=latin1' }, body: 'a' },
      { headers: { 'Content-Type': 'text/plain; CHARSET="Latin1"' }, body: 'a' },
    ],
    ['with an empty body in place of none', {}, { body: '', headers: { 'content-type': 'text/html' } }],
    [
      'that states its method in a header',
      { method: 'DELETE' },
      { method: 'POST', headers: { 'X-HTTP-Method-Override': 'delete' } },
    ],
    [
      'without the header that stated its method',
      { method: 'POST', headers: { 'X-HTTP-Method-Override': 'delete' } },
      { method: 'POST' },
    ],
    [
      'with another token of AWS',
      { ...withToken('6a1e1f52-1a2b-4c3d-8e4f-0123456789ab'), isAws: true },
      { ...withToken('00000000-1a2b-4c3d-8e4f-0123456789ab'), isAws: true },
    ],
    [
      'with another charset of a text in ASCII',
      { headers: { 'content-type': 'text/plain;charset=latin1' }, body: 'a' },
      { headers: { 'content-type': 'text/plain' }, body: 'a' },
    ],
    ['with JSON in UTF-16', json('{"a":"é"}'), json(Buffer.from('\ufeff{"a": "é"}', 'utf16le'))],
    ['with JSON in UTF-16 without a mark', json('{"a":"é"}'), json(Buffer.from('{"a":"é"}', 'utf16le').swap16())],
    ['with JSON in UTF-32', json('{"a":1}'), json(Buffer.from([...'{"a":1}'].join('\0') + '\0', 'utf16le'))],
    ['with JSON in a charset that servers ignore', json('{"a":"é"}'), json('{"a":"é"}', '; charset=iso-8859-1')],
    ['with text after its JSON', json('{"a":"}\\""}'), json(' {"a":"}\\""} x')],
    ['with more JSON after its JSON', json('[1]'), json('[1.0]{"a":2}')],
    ['without the text after its JSON', json('{"a":1}x'), json('{"a":1}')],
    ['with keys of JSON in another letter case in another order', json('{"a":1,"A":2}'), json('{"A":2,"a":1}')],
  ])('%s', async (_how, denied, again) => {
    expect(await isHeld(denied, again)).toBe(true);
  });

  it.each<[string, Given, Given]>([
    ['of another method', { method: 'PUT' }, { method: 'POST' }],
    ['of another service', {}, { serviceId: 2 }],
    [
      'with a second boundary',
      related('--x\r\n\r\na\r\n--x--'),
      { ...related('--x\r\n\r\na\r\n--x--'), headers: { 'content-type': 'multipart/related; boundary=x; boundary=y' } },
    ],
    ['without its boundary', related('a'), related('b')],
    ['with 50,001 fields in another order', fields(50_001, 'a', 'b'), fields(50_001, 'b', 'a')],
    ['with 100,001 values of JSON and one more blank', values(100_001, ''), values(100_001, ' ')],
    ['with 10,001 parts and one more blank', parts(10_001, ''), parts(10_001, ' ')],
    ['with 50,001 lines and parameters in heads and one more blank', heads(50_001, ''), heads(50_001, ' ')],
    ['with a long head of a part and one more blank', parts(1, 'x'.repeat(16_384)), parts(1, ` ${'x'.repeat(16_384)}`)],
    ['with text before its parts', related('--x\r\n\r\na\r\n--x--'), related('b\r\n--x\r\n\r\na\r\n--x--')],
    ['with text after its parts', related('--x\r\n\r\na\r\n--x--'), related('--x\r\n\r\na\r\n--x--\r\nb')],
    [
      'with a part in another encoding',
      related('--x\r\nContent-Transfer-Encoding: base64\r\n\r\naaaa\r\n--x--'),
      related('--x\r\nContent-Transfer-Encoding: binary\r\n\r\naaaa\r\n--x--'),
    ],
    [
      'with one more line in a head',
      related('--x\r\nContent-Type: text/html\r\n\r\na\r\n--x--'),
      related('--x\r\nContent-Type: text/xml\r\nContent-Type: text/html\r\n\r\na\r\n--x--'),
    ],
    ['with another field of a form', form('a=1', 'b=2'), form('a=1', 'b=3')],
    ['with the fields of one name in another order', form('a=1', 'a=2'), form('a=2', 'a=1')],
    ['with a name in another letter case', form('a=1'), form('A=1')],
    ['to another path', { url: 'https://a.example/v1/x' }, { url: 'https://a.example/v1/x/y' }],
    ['with another parameter', {}, { url: 'https://a.example/v1/x?a=1' }],
    [
      'with values of one name in another order',
      { url: 'https://a.example/?a=1&a=2' },
      { url: 'https://a.example/?a=2&a=1' },
    ],
    [
      'with another number',
      { headers: JSON_TYPE, body: '{"a":9007199254740993}' },
      { headers: JSON_TYPE, body: '{"a":9007199254740992}' },
    ],
    ['with a list in another order', { headers: JSON_TYPE, body: '[1,2]' }, { headers: JSON_TYPE, body: '[2,1]' }],
    [
      'with another charset',
      { headers: { 'content-type': 'text/plain;charset=latin1' }, body: 'é' },
      { headers: { 'content-type': 'text/plain' }, body: 'é' },
    ],
    ['with a negative exponent', { headers: JSON_TYPE, body: '[5e1]' }, { headers: JSON_TYPE, body: '[5e-01]' }],
    ['with a key twice', { headers: JSON_TYPE, body: '{"a":1}' }, { headers: JSON_TYPE, body: '{"a":1,"a":1}' }],
    ['of another type', { headers: { 'content-type': 'text/plain' }, body: '1' }, { headers: JSON_TYPE, body: '1' }],
    ['with a token that is no UUID', { ...withToken('a'), isAws: true }, { ...withToken('b'), isAws: true }],
    [
      'with such a token to a service that is not of AWS',
      withToken('6a1e1f52-1a2b-4c3d-8e4f-0123456789ab'),
      withToken('00000000-1a2b-4c3d-8e4f-0123456789ab'),
    ],
  ])('but not one %s', async (_how, denied, again) => {
    expect(await isHeld(denied, again)).toBe(false);
  });

  describe('and an approval of one request', () => {
    const lifts = async (approved: Given, asked: Given): Promise<boolean> => {
      const [one, other] = [denialHashes(await compared(approved)), denialHashes(await compared(asked))];
      return other.every((each) => one.includes(each));
    };
    const aws = (target: string): Given => ({ ...json('{"TableName":"prod"}'), headers: { 'X-Amz-Target': target } });
    const urlencoded = (body: string): Given => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });

    it.each<[string, Given, Given]>([
      ['with an escape that is never needed', { url: 'https://a.example/x' }, { url: 'https://a.example/%78' }],
      ['of another attempt', {}, { headers: { traceparent: '1', 'User-Agent': 'x', 'X-Stainless-Retry-Count': '2' } }],
      ['with other blanks and another order in its JSON', json('{"a":1,"b":[2]}'), json('{ "b": [2.0], "a": 1 }')],
      ['with another boundary', multipart('one'), multipart('two')],
      [
        'with another token of AWS',
        { ...withToken('6a1e1f52-1a2b-4c3d-8e4f-0123456789ab'), isAws: true },
        { ...withToken('00000000-1a2b-4c3d-8e4f-0123456789ab'), isAws: true },
      ],
    ])('lifts it for one %s', async (_how, approved, asked) => {
      expect(await lifts(approved, asked)).toBe(true);
    });

    it.each<[string, Given, Given]>([
      ['with its path in another case', { url: 'https://a.example/x' }, { url: 'https://a.example/X' }],
      ['with an escaped parameter of the path', { url: 'https://a.example/x;a' }, { url: 'https://a.example/x%3Ba' }],
      ['with another header', aws('DynamoDB.DescribeTable'), aws('DynamoDB.DeleteTable')],
      ['without a header', { headers: { 'x-amz-acl': 'private' } }, {}],
      [
        'with another parameter of the content type',
        json('{"a":1}'),
        { headers: { 'content-type': 'application/json; a=b' }, body: '{"a":1}' },
      ],
      ['whose fields PHP merges in another order', urlencoded('a.b=1&a_b=2'), urlencoded('a_b=2&a.b=1')],
      ['whose lists PHP merges in another order', urlencoded('a=1&a[]=2'), urlencoded('a[]=2&a=1')],
      ['whose parameters are in another order', { url: 'https://a.example/?a&A' }, { url: 'https://a.example/?A&a' }],
      ['whose keys Go merges in another order', json('{"a":1,"A":2}'), json('{"A":2,"a":1}')],
      ['whose keys Go merges by Unicode', json('{"k":1,"\u212a":2}'), json('{"\u212a":2,"k":1}')],
      ['whose parts are in another order', form('a=1', 'b=2'), form('b=2', 'a=1')],
      ['with JSON in UTF-16', json('{"a":1}'), json(Buffer.from('\ufeff{"a":1}', 'utf16le'))],
      ['with text after its JSON', json('{"a":1}'), json('{"a":1} x')],
    ])('does not lift it for one %s', async (_how, approved, asked) => {
      expect(await lifts(approved, asked)).toBe(false);
    });
  });

  it('without a parse of JSON that has too many values', async () => {
    const request = await compared(json(`[${'[],'.repeat(200_000)}1]`));
    const parse = jest.spyOn(JSON, 'parse');
    denialHashes(request);
    expect(parse.mock.calls.filter(([text]) => text !== '')).toEqual([]);
    parse.mockRestore();
  });

  it('if its JSON differs only in key order and white space, and not if the values differ', async () => {
    const shuffled = (value: unknown): string => {
      if (Array.isArray(value)) return `[ ${value.map(shuffled).join('\t,')}]`;
      if (typeof value !== 'object' || value === null) return JSON.stringify(value);
      const members = Object.entries(value).reverse();
      return `{${members.map(([key, each]) => `\n${JSON.stringify(key)} :${shuffled(each)}`).join(' ,')} }`;
    };
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, other) => {
        const [written, another] = [JSON.stringify(one), JSON.stringify(other)];
        expect(await isHeld({ headers: JSON_TYPE, body: written }, { headers: JSON_TYPE, body: shuffled(one) })).toBe(
          true,
        );
        const isSame = shuffled(JSON.parse(written)) === shuffled(JSON.parse(another));
        const held = await isHeld({ headers: JSON_TYPE, body: written }, { headers: JSON_TYPE, body: another });
        if (!isSame && !held) return;
        expect(JSON.parse(written)).toEqual(JSON.parse(another));
      }),
    );
  });

  it('if its URL differs only in percent-encoding, and not if it has another parameter', async () => {
    const spelled = (text: string): string =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z0-9!$'()*,;:@é-]{1,8}$/), async (name) => {
        const [plain, other] = [
          `https://a.example/s/${name}?q=${name}`,
          `https://a.example/s/${spelled(name)}?q=${spelled(name)}`,
        ];
        expect(await isHeld({ url: plain }, { url: other })).toBe(true);
        expect(await isHeld({ url: plain }, { url: `${other}&z` })).toBe(false);
      }),
    );
  });
});

describe('requests join the same waiting action', () => {
  it('if they differ only in what clients choose for each attempt', async () => {
    const one = await compared({ headers: { 'X-A': '1', traceparent: '1' } });
    expect(joiningHash(await compared({ headers: { 'x-a': '1', 'X-Stainless-Retry-Count': '2' } }))).toBe(
      joiningHash(one),
    );
    expect(joiningHash(await compared({ headers: { 'X-A': '2' } }))).not.toBe(joiningHash(one));
    const slashes = await compared({ url: 'https://a.example/v1//x', headers: { 'X-A': '1' } });
    expect(joiningHash(slashes)).not.toBe(joiningHash(one));
  });
});
