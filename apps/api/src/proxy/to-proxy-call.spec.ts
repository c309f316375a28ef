import { toProxyCall, type CallTerms } from './to-proxy-call.js';

const TERMS = { dryRun: true, streaming: 'none', requestId: 'r' } as unknown as CallTerms;

const typeOf = async (body: string): Promise<string> => {
  const given = { method: 'POST', targetUrl: 'https://api.example.com/', intent: 'test', body };
  const { headers } = await toProxyCall(given, null, TERMS, { maxBytes: 10_000_000 });
  return headers['Content-Type'];
};

describe('a body without a content type', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([' [1]', '{"a":1}\n'])('is JSON if it is %j', async (body) => {
    expect(await typeOf(body)).toBe('application/json');
  });

  it.each(['[draft]', '{a}', '1', '"a"', '[1'])('is text if it is %j', async (body) => {
    expect(await typeOf(body)).toBe('text/plain; charset=utf-8');
  });

  it('is JSON if it looks like it and has too many values to be parsed', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    const values = '[],'.repeat(200_000);
    expect(await typeOf(`[${values}1] \n`)).toBe('application/json');
    expect(await typeOf(`[${values}1`)).toBe('text/plain; charset=utf-8');
    expect(parse).not.toHaveBeenCalled();
  });
});
