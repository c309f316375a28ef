/** Everything that a model can answer instead of a verdict. All requests go through `POST /proxy`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeldResponse } from '#contracts';
import { makeCompletion, type FakeAnswer } from '../support/fake-model.js';
import { startGateway, type Gateway } from '../support/gateway.js';

interface ModelAnswer {
  name: string;
  content?: string;
  completion?: unknown;
  failure?: true;
}

let gateway: Gateway;
let requests = 0;

beforeAll(async () => {
  gateway = await startGateway({ LLM_TIMEOUT_MS: '4000' });
});
afterAll(() => gateway?.close());

/** A request unlike any earlier one, so that neither its key nor an earlier action answers it. */
function ask(method: string) {
  const n = ++requests;
  return gateway.proxy({
    method,
    targetUrl: `${gateway.upstream.url}/v1/items/${n}`,
    intent: `Intent ${n}`,
    idempotencyKey: `key-${n}`,
    ...(method === 'DELETE' ? {} : { body: '{"a":1}' }),
  });
}

describe('a malformed answer', () => {
  const malformed = (
    JSON.parse(readFileSync(join(process.cwd(), 'apps/api/test/corpus/model-answers.json'), 'utf8')) as ModelAnswer[]
  ).filter(({ failure }) => failure);
  const makeAnswer = ({ content, completion }: ModelAnswer): FakeAnswer => ({
    body: content === undefined ? JSON.stringify(completion) : makeCompletion(content),
  });
  const broken: [string, FakeAnswer][] = [
    ...malformed.map((answer): [string, FakeAnswer] => [answer.name, makeAnswer(answer)]),
    ['the connection breaks', 'reset'],
    ['more than a megabyte', 'flood'],
    ['HTTP 500', { status: 500, body: makeCompletion('{"score":0,"explanation":"x"}') }],
    ['HTTP 429', { status: 429, body: {} }],
    ['a redirect', { status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } }],
    ['not JSON', { body: '<html>score: 0</html>' }],
    ['nothing', { body: '' }],
  ];

  it('forwards no write', async () => {
    expect(malformed.length).toBeGreaterThanOrEqual(100);
    for (const [name, answer] of broken) {
      gateway.model.answer(answer);
      const answers = await Promise.all(['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ask(method)));
      for (const held of answers) {
        expect([name, held.status]).toEqual([name, 428]);
        expect([name, held.json<HeldResponse>().risk_score]).toEqual([name, expect.any(Number)]);
        expect(held.json<HeldResponse>().risk_score).toBeGreaterThanOrEqual(0.6);
      }
    }
    expect(gateway.upstream.calls).toHaveLength(0);
  });
});
