import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startApp, type TestApp } from '../../api/test/support/start-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Reads the raw response, without automatic decompression. */
const load = (path: string, encoding: string) =>
  new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    request(app.url + path, { headers: { 'Accept-Encoding': encoding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    })
      .on('error', reject)
      .end();
  });

it('sends each asset in the smallest encoding that the browser accepts', async () => {
  const index = await load('/dashboard', 'identity');
  const [path] = /\/dashboard\/assets\/[\w-]+\.js/.exec(index.body.toString())!;
  const plain = await load(path, 'identity');
  expect(plain.headers['content-encoding']).toBeUndefined();
  const [brotli, gzip] = [await load(path, 'gzip, deflate, br'), await load(path, 'gzip')];
  expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
  expect(gunzipSync(gzip.body)).toEqual(plain.body);
  expect(brotli.body.length).toBeLessThan(plain.body.length / 2.5);
  for (const { headers } of [brotli, gzip]) {
    expect(headers).toMatchObject({
      'content-type': plain.headers['content-type'],
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': plain.headers['content-security-policy'],
    });
    expect(headers['vary']).toContain('Accept-Encoding');
  }
});
