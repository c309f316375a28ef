import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { Response } from 'express';
import type { ResponseStream } from '#egress';
import { BodyShare, type BodyBudget } from '../platform/http/body-budget.js';
import { StreamedAnswer } from './streamed-answer.js';

const free: BodyBudget = { freeBytes: Infinity, take: () => {}, give: () => {} };

function opened(): { answer: StreamedAnswer; source: Readable; response: Response } {
  const source = new Readable({ read: () => {} });
  const chain = [Object.assign(source, { failure: null }) as unknown as ResponseStream] satisfies [ResponseStream];
  return {
    answer: new StreamedAnswer(200, [], chain, { maxBytes: 100, maxSeconds: 10, maxKeptBytes: 100 }),
    source,
    response: Object.assign(new PassThrough(), { req: {} }) as unknown as Response,
  };
}

describe('a stream that no door has passed on', () => {
  it('ends when the response is over, and reads nothing more of the upstream', async () => {
    const { answer, source } = opened();
    answer.responseIsOver();
    const error = 'the response ended before the stream began';
    expect(await answer.ended).toEqual({ bytes: 0, error, kept: null });
    expect(source.destroyed).toBe(true);
  });

  it('can be cut, and then closes the response before its end', async () => {
    const { answer, source, response } = opened();
    answer.cut('the gateway is shutting down');
    expect(await answer.ended).toEqual({ bytes: 0, error: 'the gateway is shutting down', kept: null });
    answer.passTo(response, new BodyShare(free, response));
    await once(response, 'close').catch(() => {});
    expect([source.destroyed, response.writableFinished]).toEqual([true, false]);
  });
});

it('a stream that was passed on ignores the end of the response, and can still be cut', async () => {
  const { answer, response } = opened();
  answer.passTo(response, new BodyShare(free, response));
  answer.responseIsOver();
  answer.cut('the agent key is no longer valid');
  expect((await answer.ended).error).toBe('the agent key is no longer valid');
});
