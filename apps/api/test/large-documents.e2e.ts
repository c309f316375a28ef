import type { DocumentSummary } from '#contracts';
import { call } from './support/accounts.js';
import { lowest } from './support/lowest.js';
import { openapi, openApiDocuments } from './support/attached-documents.js';
import { createService, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp();
  token = await signUp(app, 'ada@example.com');
});
afterAll(() => app.close());

const { match } = openApiDocuments(() => ({ app, token }));

describe('large documents', () => {
  it('of nearly 20 MB are accepted, and other requests are answered meanwhile', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`/p${i}/{id}`, { get: { summary: `Operation ${i}` }, put: {} }]),
    );
    const content = openapi(paths, { 'x-padding': 'p'.repeat(19 * 1024 * 1024) });
    const longestRequest = async (): Promise<number> => {
      const { id } = await createService(app, token);
      let longestMs = 0;
      let done = false;
      const watch = (async () => {
        while (!done) {
          const started = performance.now();
          await call(app, 'GET /health');
          longestMs = Math.max(longestMs, performance.now() - started);
        }
      })();
      const start = performance.now();
      const answer = await call<DocumentSummary>(app, `POST /services/${id}/documentation`, {
        token,
        body: { type: 'openapi', title: 'Large', content },
      });
      const wholeMs = performance.now() - start;
      done = true;
      await watch;
      expect([answer.status, answer.body.operationCount]).toEqual([201, 2_000]);
      expect(await match(id, 'GET', 'https://api.example.com/v1/p77/x')).toBe('Operation 77');
      return longestMs / wholeMs;
    };
    // A blocked event loop would make one request wait for the whole upload.
    expect(await lowest(longestRequest, 0.5)).toBeLessThan(0.5);
  });

  it('over 20 MB are refused', async () => {
    const { id } = await createService(app, token);
    const body = { type: 'text', title: 't', content: 'x'.repeat(20 * 1024 * 1024) };
    const answer = await call(app, `POST /services/${id}/documentation`, { token, body });
    expect([answer.status, answer.body.error]).toEqual([413, 'Request body exceeds 20MB limit']);
  });
});
