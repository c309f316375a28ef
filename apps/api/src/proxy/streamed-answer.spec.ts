import { EventEmitter, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { Response } from 'express';
import type { ResponseStream } from '#egress';
import { BodyShare, FREE_BYTES } from '../platform/http/body-budget.js';
import { StreamedAnswer } from './streamed-answer.js';

const MIB = 1024 * 1024;

it('charges an answer kept for an idempotency key until it is stored, also after the agent has read it', async () => {
  let charged = 0;
  const budget = {
    freeBytes: FREE_BYTES,
    take: (bytes: number) => void (charged += bytes),
    give: (bytes: number) => void (charged -= bytes),
  };
  const body = Object.assign(Readable.from([Buffer.alloc(MIB)]), { failure: null }) as unknown as ResponseStream;
  const limits = { maxBytes: 10 * MIB, maxSeconds: 60, maxKeptBytes: 10 * MIB };
  const answer = new StreamedAnswer(200, [], [body], limits);
  let store = (): void => {};
  answer.keep(new Promise((stored) => (store = stored)));
  const response = Object.assign(new PassThrough(), { req: new EventEmitter() }) as unknown as Response;
  answer.passTo(response, new BodyShare(budget, response));
  (response as unknown as PassThrough).resume();
  await once(response, 'close');
  expect((await answer.ended).kept?.body).toHaveLength(MIB);
  for (let pass = 0; pass < 10; pass++) await new Promise(setImmediate);
  expect(charged).toBe(MIB - FREE_BYTES);
  store();
  for (let pass = 0; pass < 10; pass++) await new Promise(setImmediate);
  expect(charged).toBe(0);
});

it('ends, and reads no more, when the agent hung up before it began', async () => {
  const body = Object.assign(new Readable({ read: () => {} }), { failure: null }) as unknown as ResponseStream;
  const decoder = new PassThrough();
  const limits = { maxBytes: MIB, maxSeconds: 60, maxKeptBytes: MIB };
  const answer = new StreamedAnswer(200, [], [body, decoder], limits);
  const response = Object.assign(new PassThrough(), { req: new EventEmitter() }) as unknown as Response;
  response.destroy();
  await once(response, 'close');
  answer.passTo(response, new BodyShare({ freeBytes: 0, take: () => {}, give: () => {} }, response));
  expect(await answer.ended).toMatchObject({ bytes: 0, error: 'the agent closed the connection before the end' });
  expect([body.destroyed, body.listenerCount('data')]).toEqual([true, 0]);
});
