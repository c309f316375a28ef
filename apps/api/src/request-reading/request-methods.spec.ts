import fc from 'fast-check';
import { judgedMethod, requestMethods } from './request-methods.js';

const methods = (body: string, type: string, query = '') =>
  requestMethods({
    method: 'POST',
    targetUrl: `https://api.example.com/x${query}`,
    headers: { 'Content-Type': type },
    body,
  });
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

describe('requestMethods', () => {
  it.each([
    ['blanks before the name', `${'+'.repeat(100)}_method=DELETE`],
    ['encoded blanks before the name', `a=b&${'%20'.repeat(100)}_method=DELETE`],
    ['a NUL and more after the name', `_method%00${'a'.repeat(100)}=DELETE`],
    ['blanks before the value', `_method=${'+'.repeat(100)}DELETE`],
  ])('finds a field with %s, as PHP does', (_what, form) => {
    expect(methods(form, FORM)).toEqual(['DELETE', 'POST']);
    expect(methods('', 'text/plain', `?${form}`)).toEqual(['DELETE', 'POST']);
  });

  it('finds a method field exactly if its decoded name matches, whichever characters are encoded or in the other case', () => {
    const named = /^[\s\0[\]]*(?:[_.[](?:http)?method|\$httpmethod|x-(?:http-)?method(?:-override)?)(?:[[\]\0].*)?$/is;
    const piece = fc.constantFrom(
      ...[
        '_',
        '.',
        '[',
        '_method',
        '_HTTPmethod',
        '$httpMethod',
        'x-method',
        'X-HTTP-',
        'method-override',
        'http',
        'ethod',
        'm',
        ']',
        '\0',
        ' ',
        '\t',
        'a',
      ],
    );
    const names = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
    const letters = fc.array(fc.constantFrom('as it is', 'encoded', 'in the other case'), { minLength: 1 });
    fc.assert(
      fc.property(names, letters, (name, ways) => {
        const written = Array.from(name, (letter, at) => {
          const way = ways[at % ways.length];
          const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
          if (way === 'in the other case') return other;
          return way === 'encoded' ? `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}` : letter;
        }).join('');
        expect(methods(`b=1&${written}=DELETE`, FORM).includes('DELETE')).toBe(named.test(name));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['a backslash in it', 'Content-Disposition: form-data; name="_m\\ethod"'],
    ['no disposition, but a Content-ID', 'Content-ID: _method'],
    ['a Content-ID in brackets', 'Content-ID: <_method>'],
    ['its header inside another one', 'X-Note: Content-Disposition: form-data; name="_method"'],
    ['a blank before the colon', 'Content-Disposition : form-data; name="_method"'],
    ['a line break before it', 'Content-Disposition: form-data\r\nx; name="_method"'],
    ['a line without a colon before it', 'Content-Disposition: form-data\r\n; name="_method"'],
    ['single quotes', "Content-Disposition: form-data; name='_method'"],
    ['single quotes that do not end', "Content-Disposition: form-data; name= '_method"],
    ['the quoted coding of mail', 'Content-Disposition: form-data; name="=?UTF-8?Q?=5Fmethod?="'],
    ['the base64 coding of mail', 'Content-Disposition: form-data; name="=?utf-8?b?X21ldGhvZA==?=x=y"'],
    ['two encoded words', 'Content-Disposition: form-data; name="=?UTF-8?Q?=5Fme?= =?UTF-8?B?dGhvZA==?="'],
    ['an encoded word in EBCDIC', 'Content-Disposition: form-data; name="=?IBM037?B?bZSFo4iWhA==?="'],
    ['percent-encoding', "Content-Disposition: form-data; name*=UTF-8''%5F%6Deth%6fd"],
    ['brackets around it', 'Content-Disposition: form-data; name="[_method]"'],
    ['brackets of nothing before it', 'Content-Disposition: form-data; name="[]]_method"'],
    ['the name of a header', 'Content-Disposition: form-data; name="X-HTTP-Method-Override"'],
    ["Google's name", 'Content-Disposition: form-data; name="$httpMethod"'],
  ])('finds a part whose name has %s, as some server does', (_what, head) => {
    expect(methods(`--b\r\n${head}\r\n\r\nPATCH\r\n--b--`, 'multipart/mixed; boundary=b')).toEqual(['PATCH', 'POST']);
  });

  it('takes a part whose head could end earlier for the most dangerous method', () => {
    const body = '--b\r\nContent-Disposition: form-data\n\nGET\r\n; name="_method"\r\n\r\nPATCH\r\n--b--';
    expect(methods(body, 'multipart/mixed; boundary=b')).toEqual(['DELETE', 'POST']);
  });

  it('finds no method field in an uploaded HTML page, or in a mail whose attachment has an encoded name', () => {
    const page = '<form>\n<input type="hidden" name="_method" value="delete">\n</form>';
    const mail = '--b\r\nContent-Disposition: attachment\r\nContent-Type: a/b; name="=?UTF-8?B?w7xiZXI=?="\r\n\r\nx';
    const file = `--b\r\nContent-Disposition: form-data; name="f"; filename="f.html"\r\n\r\n${page}\r\n--b--\r\n`;
    expect(methods(file, MULTIPART)).toEqual(['POST']);
    expect(methods(mail, 'multipart/mixed; boundary=b')).toEqual(['POST']);
  });

  it.each(['IBM037', '"utf-7"', 'utf-16le', "utf-8; charset='cp500'"])(
    'cannot tell which field a form in %s has, so it is the most dangerous method',
    (charset) => {
      expect(methods('%6D%94%85%A3%88%96%84=%C4%C5%D3%C5%E3%C5', `${FORM}; charset=${charset}`)).toEqual([
        'DELETE',
        'POST',
      ]);
      expect(methods('{}', `application/json;Charset=${charset}`)).toEqual(['DELETE', 'POST']);
    },
  );

  it.each([
    'xcharset=IBM037',
    'v=1, charset=IBM037',
    'charset= IBM037',
    'v="charset=IBM037"',
    "charset*=''IBM037",
    "charset*=utf-8''utf-7",
    'charset*0=IBM; charset*1=037',
    'charset=utf-8; x-charset=cp500',
  ])('assumes the most dangerous method if some server finds an unreadable charset in %s', (parameters) =>
    expect(methods('a=1', `${FORM}; ${parameters}`)).toEqual(['DELETE', 'POST']),
  );

  it('ignores the charset of other types, unless JSON can be in it', () => {
    expect(methods('{}', 'text/plain; charset=utf-16le')).toEqual(['POST']);
    expect(methods('a=1', 'text/csv; charset=IBM037')).toEqual(['POST']);
    expect(methods('+AHs-', 'text/plain; charset=utf-7')).toEqual(['DELETE', 'POST']);
  });

  it.each(['', ' ', '\t', ';', 'form', '; charset=utf-8'])('reads a body whose type is %j in every way', (type) => {
    expect(methods('_method=PUT', type)).toEqual(['PUT', 'POST']);
    expect(methods('{"_method":"PUT"}', type)).toEqual(['PUT', 'POST']);
    expect(methods('--b\r\nContent-Disposition: form-data; name=_method\r\n\r\nPUT\r\n--b--', type)).toEqual([
      'PUT',
      'POST',
    ]);
  });

  it.each(['text/plain', 'application/octet-stream', 'image/png', FORM, MULTIPART])(
    'reads JSON in %s, as Parse Server does',
    (type) => {
      expect(methods('\ufeff {"a":1,"_\\u006dethod":"PUT"}', type)).toEqual(['PUT', 'POST']);
      expect(methods('{"a":{"_method":"PUT"}}', type)).toEqual(['POST']);
      expect(methods('[{"_method":"PUT"}]', type)).toEqual(['POST']);
      expect(methods('see {"_method":"PUT"}', type)).toEqual(['POST']);
    },
  );

  it('reads a request once, however often it is asked', () => {
    const request = { method: 'POST' as const, targetUrl: 'https://api.example.com/', headers: {}, body: '' };
    const read = jest.fn(() => '_method=PUT');
    Object.defineProperty(request, 'body', { get: read });
    expect([requestMethods(request), judgedMethod(request)]).toEqual([['PUT', 'POST'], 'PUT']);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('takes the field at every level of JSON that has too many values to be parsed', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const body = `{"a":{"_method":"PUT"},"b":[${'[],'.repeat(200_000)}1]}`;
    expect(methods(body, 'application/json')).toEqual(['PUT', 'POST']);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('reads a multipart like a form too, as Rack does without a boundary', () => {
    expect(methods('_method=PUT', 'multipart/mixed')).toEqual(['PUT', 'POST']);
    expect(methods('a&_method=PUT', MULTIPART)).toEqual(['POST']);
  });

  it.each(['utf-8', 'UTF8', '"us-ascii"', 'ISO-8859-1', 'windows-1252', 'Shift_JIS', 'gb2312'])(
    'reads forms in %s',
    (charset) => expect(methods('a=1', `${FORM}; charset=${charset}`)).toEqual(['POST']),
  );

  // Each took minutes, or the memory of the process, when the time grew with the square of the size.
  it.each<[string, string, string]>([
    ['blanks after a name', `content-disposition: form-data; name=${' '.repeat(2_000_000)}`, MULTIPART],
    ['blanks after a quote', `content-disposition: form-data; name="${' '.repeat(2_000_000)}`, MULTIPART],
    ['folded lines', `content-disposition: form-data${'\n '.repeat(1_000_000)}`, MULTIPART],
    ['headers on one line', 'content-disposition: x; '.repeat(100_000), MULTIPART],
    ['headers on many lines', 'content-disposition: x\r\n '.repeat(100_000), MULTIPART],
    ['lines', `${'content-\r\n'.repeat(200_000)}`, MULTIPART],
    ['line separators of Unicode', '\u2028'.repeat(2_000_000), MULTIPART],
    ['headers that end', 'content-id\r\n\r\n'.repeat(150_000), MULTIPART],
    ['blank lines', '\r\n'.repeat(1_000_000), MULTIPART],
    ['encoded words', `content-id ${'=?utf-8?q?a?= '.repeat(150_000)}`, MULTIPART],
    ['encoded words without an end', `content-id ${'=?utf-8?q?a'.repeat(200_000)}`, MULTIPART],
    ['percent-encoding in a name', `content-id: ${'%41'.repeat(700_000)}`, MULTIPART],
    ['percent-encoding outside of names', `content-id ${'%41'.repeat(700_000)}`, MULTIPART],
    ['names of parts', `content-id ${';name='.repeat(300_000)}`, MULTIPART],
    ['blanks before JSON', `${' '.repeat(2_000_000)}{`, 'text/plain'],
    ['keys without a value', `{${'"_method" '.repeat(200_000)}`, 'text/plain'],
    ['fields', `%${'a=&'.repeat(1_000_000)}`, FORM],
    ['encoded fields', '%5f=%61&'.repeat(500_000), FORM],
    ['names without a value', '_method['.repeat(500_000), FORM],
    ['encoded blanks for a name', '%20'.repeat(1_000_000), FORM],
    ['blanks for a name', `%${'+'.repeat(2_000_000)}`, FORM],
    ['blanks for names', `%${'+&'.repeat(1_000_000)}`, FORM],
  ])('reads megabytes of %s in time that grows with their size', (_what, body, type) => {
    expect(methods(body, type)).toEqual(['POST']);
  });

  it('treats a form with very many parts or fields of that name as the most dangerous method', () => {
    const part = '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\nGET\r\n';
    expect(methods(part, MULTIPART)).toEqual(['POST', 'GET']);
    expect(methods(part.repeat(50_000), MULTIPART)).toEqual(['DELETE', 'POST', 'GET']);
    expect(methods(`content-id${';name=%41'.repeat(1000)}`, MULTIPART)).toEqual(['POST']);
    expect(methods(`content-id${';name=%41'.repeat(1001)}`, MULTIPART)).toEqual(['DELETE', 'POST']);
    expect(methods(`content-id: ${'=?utf-8?q??= '.repeat(99)}=?utf-8?q?=5Fmethod?=`, MULTIPART)).toEqual([
      'DELETE',
      'POST',
    ]);
    expect(methods('_method=GET&'.repeat(20), FORM)).toEqual(['POST', 'GET']);
    expect(methods('_method=GET&'.repeat(500_000), FORM)).toEqual(['DELETE', 'POST', 'GET']);
    const fields = (count: number): string => `{${'"_method":"GET",'.repeat(count - 1)}"_method":"GET"}`;
    expect(methods(fields(20), 'application/json')).toEqual(['POST', 'GET']);
    expect(methods(fields(21), 'application/json')).toEqual(['DELETE', 'POST', 'GET']);
  });
});
