import { spawnSync } from 'node:child_process';
import busboy from 'busboy';
import * as fc from 'fast-check';
import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { Payload } from './payload.js';

const MAX = { maxBytes: 1024 * 1024 };

const FIELD = '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
it.each([
  ['a part that no reader can name', `${FIELD}--X\r\nContent-Type: text/plain\r\n\r\nhidden\r\n--X--`],
  ['a part of another kind', `${FIELD}--X\r\nContent-Disposition: attachment; name="b"\r\n\r\nhidden\r\n--X--`],
  ['a part with two names', FIELD.replace('name="a"', 'name="a"; name="b"') + '--X--'],
  [
    'a part with two names in two headers',
    FIELD.replace('\r\n\r\n', '\r\nContent-Disposition: form-data; name="b"\r\n\r\n') + '--X--',
  ],
  ['a part after the end', `${FIELD}--X--\r\n${FIELD}--X--`],
  [
    'a part whose boundary ends in other characters',
    `${FIELD}--X \r\nContent-Disposition: form-data; name=b\r\n\r\n2\r\n--X--`,
  ],
  ['a part that begins after a bare line feed', FIELD.replace('1\r\n', `1\n${FIELD.replaceAll('\r', '')}\r\n--X--`)],
  ['a name with a backslash, which Rack leaves out', FIELD.replace('"a"', '"_m\\ethod"') + '--X--'],
  [
    'a header that names another one, which Rack before 3.1 reads',
    FIELD.replace('Content', 'X-Note: Content-Disposition: form-data; name="b"\r\nContent') + '--X--',
  ],
  [
    'a header that ends like another one',
    FIELD.replace('Content', 'X-Content-Disposition: form-data; name="b"\r\nContent') + '--X--',
  ],
  ['a name inside a file name, which Rack reads', FIELD.replace('"a"', '"a"; filename="x; name=b"') + '--X--'],
  ['a name inside another value, which Rack reads', FIELD.replace('"a"', '"a"; x="y;name=b"') + '--X--'],
  [
    'a file name in another header, which Rack reads',
    FIELD.replace('"a"', '"a"\r\nContent-Type: text/plain; filename=b') + '--X--',
  ],
  ['an empty name, for which Rack takes the type', FIELD.replace('"a"', '""\r\nContent-Type: b') + '--X--'],
  ['a name in single quotes, which PHP leaves out', FIELD.replace('"a"', "'a'") + '--X--'],
  ['a file name in single quotes', FIELD.replace('"a"', '"a"; filename=\'x; name=b\'') + '--X--'],
  ['single quotes inside double quotes', FIELD.replace('"a"', '"\'a\'"') + '--X--'],
  ['a blank before its name, which PHP leaves out', FIELD.replace('"a"', '" a"') + '--X--'],
  ['a name that Tomcat decodes', FIELD.replace('"a"', '"=?UTF-8?Q?b?="') + '--X--'],
  ['a file name that Tomcat decodes', FIELD.replace('"a"', '"a"; filename="=?UTF-8?B?Yg==?="') + '--X--'],
  ['a charset for all fields, which Jetty obeys', FIELD.replace('"a"', '"_charset_"').replace('1', 'utf-7') + '--X--'],
  [
    'a charset for all fields in a file',
    FIELD.replace('"a"', '"_charset_"; filename="f"').replace('1', 'IBM037') + '--X--',
  ],
  ['a charset in the middle of its type', FIELD.replace('"a"', '"a"\r\nContent-Type: a/b; xcharset=utf-7') + '--X--'],
  ['a second charset', FIELD.replace('"a"', '"a"\r\nContent-Type: a/b; charset=utf-8; charset=utf-7') + '--X--'],
  ['a field that has an empty file name', FIELD.replace('name="a"', 'name="a"; filename=""') + '--X--'],
])('refuses a form with %s: nobody would see it', async (_case, text) => {
  const form = Payload.of(Buffer.from(text), { 'content-type': 'multipart/form-data; boundary=X' }, MAX);
  await expect(form).rejects.toMatchObject({ statusCode: 400 });
});

it('reads heads with unclosed quotes in linear time', async () => {
  const read = (quotes: number, parts: number) => async () => {
    const part = FIELD.replace('\r\n\r\n', `\r\nx: ${'\\"'.repeat(quotes)}\r\n\r\n`);
    const form = Buffer.from(`${part.repeat(parts)}--X--\r\n`);
    const payload = await Payload.of(form, { 'content-type': 'multipart/form-data; boundary=X' }, MAX);
    expect(payload.parts).toHaveLength(parts);
  };
  // The same number of bytes in longer heads. A quadratic pattern needs 64 times as long.
  expect(await timesAsLong(read(7680, 10), read(120, 640))).toBeLessThan(12);
});

it('refuses a form of megabytes that consists of its own boundary', async () => {
  const boundary = '-'.repeat(200);
  const body = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\na${'-'.repeat(1_000_000)}`,
  );
  const form = Payload.of(body, { 'content-type': `multipart/form-data; boundary=${boundary}` }, MAX);
  await expect(form).rejects.toMatchObject({ statusCode: 400, message: expect.stringContaining('again and again') });
});

it('reads what browsers send for an input without a file', async () => {
  const head = 'name="a"; filename=""\r\nContent-Type: application/octet-stream';
  const body = FIELD.replace('name="a"', head).replace('\r\n\r\n1', '\r\n\r\n') + '--X--';
  const form = await Payload.of(Buffer.from(body), { 'content-type': 'multipart/form-data; boundary=X' }, MAX);
  expect(form.parts).toMatchObject([{ name: 'a', filename: '', size: 0 }]);
});

it('reads a part whose type has a name, and whose file name has a quote, an equals sign and a semicolon', async () => {
  const head = 'name="a"; filename="it\'s b=1; c"\r\nContent-Type: application/octet-stream; name="x"';
  const body = FIELD.replace('name="a"', head) + '--X--';
  const { parts } = await Payload.of(Buffer.from(body), { 'content-type': 'multipart/form-data; boundary=X' }, MAX);
  expect(parts).toEqual([{ name: 'a', filename: "it's b=1; c", contentType: 'application/octet-stream', size: 1 }]);
});

it('reads the charset that browsers put into a form', async () => {
  const body = FIELD.replace('"a"', '"_charset_"').replace('1', 'UTF-8') + '--X--';
  const { parts } = await Payload.of(Buffer.from(body), { 'content-type': 'multipart/form-data; boundary=X' }, MAX);
  expect(parts).toMatchObject([{ name: '_charset_', text: 'UTF-8' }]);
});

describe('the name of an accepted part', () => {
  /** The regular expression of Rack 2.2. */
  const byRack = (head: string): string | undefined =>
    /Content-Disposition:[^:]*;\s*name=("(?:\\"|[^"])*"|[^\s()<>,;:\\"/[\]?=]+)/i
      .exec(head)?.[1]
      .replace(/^"(.*)"$/, '$1')
      .replace(/\\(.)/g, '$1');
  /** PHP ends parameters at `;` outside of quotes of both kinds, and removes both. */
  const byPhp = (head: string): string | undefined => {
    const parameters = head.split('\r\n')[0].match(/(?:"[^"]*"?|'[^']*'?|[^;"'])+/g) ?? [];
    return parameters
      .map((each) => /^\s*name=\s*(?:"([^"]*)|'([^']*)|(\S*))/i.exec(each))
      .filter((found) => found !== null)
      .map(([, double, single, bare]) => (double ?? single ?? bare).trimStart())
      .at(-1);
  };

  it('is the one that Rack and PHP read', async () => {
    const piece = fc.constantFrom(
      ...['a', 'b', "'", '"', ';', ' ', '=', 'name=', 'name="', "name='", 'filename=', 'filename="f"', '; x="', '=?'],
    );
    const rest = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(rest, fc.constantFrom('', '\r\nContent-Type: a/b; '), rest, async (first, between, second) => {
        const head = `Content-Disposition: form-data; name="a${first}"${between}${second}`;
        const body = Buffer.from(`--X\r\n${head}\r\n\r\n1\r\n--X--`);
        const form = await Payload.of(body, { 'content-type': 'multipart/form-data; boundary=X' }, MAX).catch(
          () => null,
        );
        if (form === null) return;
        accepted += 1;
        expect([byRack(head), byPhp(head)]).toEqual([form.parts![0].name, form.parts![0].name]);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });
});

it('reads any bytes as a form, or refuses them with 400', async () => {
  const pieces = fc.constantFrom(
    '--X',
    '--',
    '\r\n',
    'Content-Disposition: form-data; name="a"',
    '; filename="b"',
    ': ',
    '\0',
    'x',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (parts) => {
      const body = Buffer.from(parts.join(''));
      const headers = { 'content-type': 'multipart/form-data; boundary=X' };
      const outcome = await Payload.of(body, headers, MAX).catch((error: { statusCode: number }) => error.statusCode);
      if (outcome instanceof Payload) expect(outcome.parts).not.toBeNull();
      else expect(outcome).toBe(400);
      expect((await Payload.ofAccepted(body, headers)).bytes.equals(body)).toBe(true);
    }),
  );
});

describe('a form that is accepted', () => {
  /** The pieces of generated forms. Readers disagree about some of the forms, and agree about others. */
  const eol = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n', '');
  const head = fc.constantFrom(
    'Content-Disposition: form-data; name="a"',
    'Content-Disposition: form-data; name="b"; filename="f.txt"',
    'content-disposition: form-data; name=c',
    'Content-Disposition: form-data; name="a\\"; name="evil"',
    'Content-Disposition: form-data; name="a\\b"',
    'Content-Disposition: form-data; name="a"; filename="b\\\\c"',
    'X-Note: Content-Disposition: form-data; name="evil"',
    'Content-Disposition: form-data; name="a"; filename=""',
    "Content-Disposition: form-data; name*=UTF-8''evil",
    'Content-Disposition: form-data; filename="x"; name="d"',
    'Content-Disposition: form-data;\r\n name="folded"',
    'Content-Disposition: attachment; name="a"',
    'Content-Type: text/plain',
    'Content-Type: multipart/mixed; boundary=X',
    'Content-Type: text/plain; charset=utf-16',
    'Content-Transfer-Encoding: base64',
    'X-Note: 1',
    'Content-Disposition : form-data; name="spaced"',
  );
  const value = fc.constantFrom(
    '1',
    'hello',
    '',
    'ZXZpbA==',
    '--X',
    '--Y',
    'a\r\nb',
    '\r\n',
    '\n\n',
    '--X--',
    'ü',
    'x\n--X\n',
  );
  const delimiter = fc.constantFrom('--X', '--X', '--X', '--X', '--X', '--X ', '--X--', '--XY', '-X');
  const part = fc.tuple(delimiter, eol, fc.array(fc.tuple(head, eol), { minLength: 1, maxLength: 3 }), eol, value, eol);
  const good = fc
    .tuple(fc.constantFrom('a', 'b', 'ü'), fc.boolean(), fc.constantFrom('1', 'hello', '', 'x\r\ny', '--Y'))
    .map(
      ([name, isFile, text]) =>
        `--X\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="f"' : ''}\r\n\r\n${text}\r\n`,
    );
  const odd = part.map(
    ([mark, end, lines, blank, text, last]) => `${mark}${end}${lines.flat().join('')}${blank}${text}${last}`,
  );
  const form = fc
    .tuple(
      fc.constantFrom('', '', '', '', 'preamble\r\n', '\r\n'),
      fc.array(fc.oneof({ weight: 5, arbitrary: good }, odd), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('--X--\r\n', '--X--', '--X--\r\n', '--X--epilogue', '--X', '--X--\r\n--X\r\n'),
    )
    .map(([before, parts, end]) => Buffer.from(before + parts.join('') + end));
  const TYPE = 'multipart/form-data; boundary=X';

  const acceptedParts = async (body: Buffer): Promise<[name: string, value: string][] | null> => {
    const payload = await Payload.of(body, { 'content-type': TYPE }, MAX).catch(() => null);
    return (
      payload?.parts?.map(({ name, text, filename, size }) => [
        name,
        filename === undefined ? text! : `file of ${size}`,
      ]) ?? null
    );
  };

  const byBusboy = (body: Buffer): Promise<[string, string][]> =>
    new Promise((resolve, reject) => {
      const parts: [string, string][] = [];
      const reader = busboy({
        headers: { 'content-type': TYPE },

        defParamCharset: 'utf8',
        preservePath: true,
      });
      reader.on('field', (name, text) => parts.push([name, text]));
      reader.on('file', (name, content) => {
        const part: [string, string] = [name, ''];
        let size = 0;
        parts.push(part);
        content.on('data', (chunk: Buffer) => (size += chunk.length));
        content.on('close', () => (part[1] = `file of ${size}`));
      });
      reader.on('error', reject);
      reader.on('close', () => resolve(parts));
      reader.end(body);
    });

  /** Null: it refuses the form, for example because of a name without quotes. */
  const byFetch = async (body: Buffer): Promise<[string, string][] | null> => {
    const response = new Response(new Uint8Array(body), { headers: { 'content-type': TYPE } });
    const form = await response.formData().catch(() => null);
    return form && Array.from(form, ([name, read]) => [name, typeof read === 'string' ? read : `file of ${read.size}`]);
  };

  it('is read alike by busboy and by the reader of fetch', async () => {
    let [accepted, both] = [0, 0];
    await fc.assert(
      fc.asyncProperty(form, async (body) => {
        const parts = await acceptedParts(body);
        if (parts === null) return;
        accepted += 1;
        expect(await byBusboy(body)).toEqual(parts);
        const fetched = await byFetch(body);
        if (fetched === null) return;
        both += 1;
        expect(fetched).toEqual(parts);
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(200);
    expect(both).toBeGreaterThan(200);
  });

  const PYTHON = `
import base64, email.parser, email.policy, json, sys
for line in sys.stdin:
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(b"Content-Type: ${TYPE}\\r\\n\\r\\n" + base64.b64decode(line))
    parts = []
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        text = content.decode() if part.get_filename() is None else "file of %d" % len(content)
        parts.append([name, text])
    print(json.dumps(parts))
`;
  const hasPython = spawnSync('python3', ['--version']).status === 0;

  (hasPython ? it : it.skip)('is read alike by the email package of Python', async () => {
    const bodies = fc.sample(form, 1_000);
    const accepted: { body: Buffer; parts: [string, string][] }[] = [];
    for (const body of bodies) {
      const parts = await acceptedParts(body);
      if (parts !== null) accepted.push({ body, parts });
    }
    const input = accepted.map(({ body }) => body.toString('base64')).join('\n');
    const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON], { input, encoding: 'utf8' });
    expect(stderr).toBe('');
    const read = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, string][]);
    expect(read).toEqual(accepted.map(({ parts }) => parts));
    expect(read.length).toBeGreaterThan(100);
  });
});
