import { toProxyCall, type CallTerms } from './to-proxy-call.js';

const terms: CallTerms = {
  waitSeconds: 0,
  dryRun: true,
  streaming: 'none',
  requestId: 'r',
  room: null,
  gone: () => new AbortController().signal,
};

const readType = async (body: string): Promise<string> => {
  const given = { method: 'POST', targetUrl: 'https://api.example.com/', intent: 'test', body };
  const { headers } = await toProxyCall(given, null, terms, { maxBytes: 10_000_000 });
  return headers['Content-Type'];
};

describe('a body without a content type', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([' [1]', '{"a":1}\n'])('is JSON if it is %j', async (body) => {
    expect(await readType(body)).toBe('application/json');
  });

  it.each(['[draft]', '{a}', '1', '"a"', '[1'])('is text if it is %j', async (body) => {
    expect(await readType(body)).toBe('text/plain; charset=utf-8');
  });

  it('is JSON if it looks like it and has too many values to be parsed', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    const values = '[],'.repeat(200_000);
    expect(await readType(`[${values}1] \n`)).toBe('application/json');
    expect(await readType(`[${values}1`)).toBe('text/plain; charset=utf-8');
    expect(parse).not.toHaveBeenCalled();
  });
});

it('keeps no base64 of a body that it has decoded, because the request lives as long as its answer', async () => {
  const given = {
    method: 'POST',
    targetUrl: 'https://api.example.com/files',
    intent: 'upload',
    bodyBase64: Buffer.from('content').toString('base64'),
  };
  const call = await toProxyCall(given, null, terms, { maxBytes: 1024 });
  expect(call.body?.bytes.toString()).toBe('content');
  expect(given).not.toHaveProperty('bodyBase64');
});

describe('the headers of a request', () => {
  const withHeaders = (headers: Record<string, string>) => {
    const given = { method: 'GET', targetUrl: 'https://api.example.com/', intent: 'test', headers };
    return toProxyCall(given, null, terms, { maxBytes: 1024 });
  };
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${String(n).padStart(6, '0')}`, 'x'.repeat(56)]));

  it('have at most 65,536 characters together', async () => {
    expect((await withHeaders(many(1024))).headers).toEqual(many(1024));
    const tooLong = 'headers: must have at most 65536 characters';
    await expect(withHeaders(many(1025))).rejects.toMatchObject({ statusCode: 400, message: tooLong });
    await expect(withHeaders({ 'x-one': 'x'.repeat(65_532) })).rejects.toMatchObject({ message: tooLong });
  });
});
