import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import axios from 'axios';
import { createGatewayAdapter } from '../../../libs/client/src/axios.js';
import { createGatewayFetch, type GatewayOptions } from '../../../libs/client/src/index.js';
import { startGateway, type Gateway } from './support/gateway.js';

/**
 * Every kind of body, text or not, arrives at the API as without the gateway, or is refused before anything is sent.
 */
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.upstream.answer((_call, response) => response.end('{}'));
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

const options = (): GatewayOptions => ({ gatewayUrl: gateway.url, agentKey: gateway.agentKey, intent: 'Send it' });
const url = (): string => `${gateway.upstream.url}/v1/things`;

const TEXT = 'Grüße, 寿司\r\n';
const bytes = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode(TEXT);
/** Every byte value, and more than is encoded at once. */
const BINARY = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);

function platformForm(file: string | Uint8Array<ArrayBuffer> = TEXT): FormData {
  const form = new FormData();
  form.append('name', 'Zoë');
  form.append('list', '1');
  form.append('list', '2');
  form.append('file', new Blob([file], { type: 'text/x-own' }), 'ä.txt');
  return form;
}

/** From the package form-data, which axios installs for Node. */
function nodeForm(file: Buffer | Readable | string = TEXT, knownLength = Buffer.byteLength(TEXT)): object {
  const form = axios.toFormData({});
  form.append('name', 'Zoë');
  form.append('file', file, { filename: 'a.txt', contentType: 'text/x-own', knownLength });
  return form;
}

/** What the API received, without the values that differ in each request. */
function arrived(): { type: string | undefined; body: string }[] {
  return gateway.upstream.calls.map(({ headers, body }) => {
    const type = headers['content-type'];
    const boundary = /boundary="?([^";]+)/.exec(type ?? '')?.[1];
    const plain = (text: string): string => (boundary === undefined ? text : text.replaceAll(boundary, 'BOUNDARY'));
    return { type: type && plain(type), body: plain(body.toString('latin1')) };
  });
}

/** Looks like a form to axios, but not to the platform. */
class ForeignForm {
  readonly [Symbol.toStringTag] = 'FormData';
  append(): void {}
}

const kinds: [string, () => unknown][] = [
  ['a string', () => TEXT],
  ['an empty string', () => ''],
  ['nothing', () => undefined],
  ['null', () => null],
  ['URLSearchParams', () => new URLSearchParams({ a: 'b c', ü: '&' })],
  ['FormData', () => platformForm()],
  ['an empty FormData', () => new FormData()],
  ['a Blob with a type', () => new Blob([TEXT], { type: 'text/x-own' })],
  ['a Blob without a type', () => new Blob([TEXT])],
  ['a File', () => new File([TEXT], 'a.txt', { type: 'text/x-own' })],
  ['an ArrayBuffer', () => bytes().buffer],
  ['a typed array within a longer buffer', () => bytes().subarray(0, 4)],
  ['a DataView', () => new DataView(bytes().buffer)],
  ['a Buffer', () => Buffer.from(TEXT)],
  ['bytes that are not text', () => BINARY],
  ['a Blob that is not text', () => new Blob([BINARY], { type: 'image/png' })],
  ['a FormData with a binary file', () => platformForm(BINARY)],
];

describe('fetch: the API receives the same as without the gateway', () => {
  it.each([
    ...kinds,
    ['a web stream', () => new Blob([TEXT]).stream()] as const,
    ['a Node stream', () => Readable.from([Buffer.from('a'), Buffer.from('ü')])] as const,
    ['an asynchronous iterable', () => asynchronously([bytes()])] as const,
    ['an object with its own toString', () => new URL('https://x.example/')] as const,
    ['a binary web stream', () => new Blob([BINARY]).stream()] as const,
  ])('%s', async (_name, make) => {
    const send = (through: typeof fetch | ReturnType<typeof createGatewayFetch>): Promise<Response> =>
      through(url(), { method: 'POST', body: make() as RequestInit['body'], duplex: 'half' });
    await send(fetch);
    await send(createGatewayFetch(options()));
    const [direct, through] = arrived();
    expect(through).toEqual(withTypeOfGateway(direct));
  });

  it('a form of the package form-data, which the platform would send as [object FormData]', async () => {
    await createGatewayFetch(options())(url(), { method: 'POST', body: nodeForm() as never });
    await axios.post(url(), nodeForm());
    const [through, direct] = arrived();
    expect(through).toEqual(direct);
  });

  it.each<[string, unknown]>([
    ['an object', { a: 1 }],
    ['a map', new Map([['a', 1]])],
    ['a form of another package', new ForeignForm()],
  ])('%s is refused before anything is sent', async (_name, body) => {
    const sent = createGatewayFetch(options())(url(), { method: 'POST', body: body as never });
    await expect(sent).rejects.toMatchObject({
      code: 'body_not_supported',
      message: expect.stringContaining('Nothing was sent'),
    });
    expect(gateway.upstream.calls).toEqual([]);
  });
});

describe('axios: the API receives the same as without the gateway', () => {
  const client = () => axios.create({ adapter: createGatewayAdapter(axios, options()) });

  it.each([
    ...kinds.filter(([name]) => name !== 'an empty FormData'),
    ['an object', () => ({ a: 1, ü: ['ß'] })] as const,
    ['an array', () => [1, { a: null }]] as const,
    ['a date', () => new Date(0)] as const,
    ['a form of the package form-data', () => nodeForm()] as const,
    ['one with a file in memory', () => nodeForm(Buffer.from(TEXT))] as const,
    ['one with a binary file', () => nodeForm(Buffer.from(BINARY), BINARY.length)] as const,
    ['one with a file that is a stream', () => nodeForm(Readable.from([Buffer.from(TEXT)]))] as const,
    ['a Node stream', () => Readable.from([Buffer.from('a'), Buffer.from('ü')])] as const,
  ])('%s', async (_name, make) => {
    await axios.post(url(), make());
    await client().post(url(), make());
    const [direct, through] = arrived();
    expect(through).toEqual(withTypeOfGateway(direct));
  });

  it('forms that axios creates itself', async () => {
    for (const through of [axios, client()]) {
      await through.postForm(url(), {
        name: 'Zoë',
        list: [1, 2],
        nested: { a: 'b' },
        file: Buffer.from(TEXT),
      });
      await through.post(
        url(),
        { a: 'b c', list: [1] },
        { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      );
      await through.post(url(), platformForm(), { headers: { 'Content-Type': 'multipart/form-data' } });
      await through
        .post(url(), platformForm(), { headers: { 'Content-Type': 'application/json' } })
        .catch(() => undefined);
    }
    const all = arrived();
    expect(all.slice(4)).toEqual(all.slice(0, 4));
    expect(all[0]).toMatchObject({
      type: 'multipart/form-data; boundary=BOUNDARY',
      body: expect.stringContaining('name="list[]"'),
    });
  });

  it("keeps the caller's content type", async () => {
    const headers = { 'Content-Type': 'text/x-mine' };
    await client().post(url(), new Blob([TEXT]), { headers });
    expect(arrived()[0].type).toBe('text/x-mine');
  });

  it('a form of another package is refused before anything is sent', async () => {
    await expect(client().post(url(), new ForeignForm())).rejects.toMatchObject({ code: 'body_not_supported' });
    expect(gateway.upstream.calls).toEqual([]);
  });
});

const detectType = (bytes: Buffer): string =>
  isUtf8(bytes) ? 'text/plain; charset=utf-8' : 'application/octet-stream';

/** Without a content type, the gateway derives one from the body. */
const withTypeOfGateway = ({ type, body }: { type: string | undefined; body: string }) => ({
  type: type ?? (body === '' ? undefined : detectType(Buffer.from(body, 'latin1'))),
  body,
});

async function* asynchronously<T>(values: T[]): AsyncGenerator<T> {
  yield* values;
}
