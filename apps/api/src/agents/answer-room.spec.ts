import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import * as fc from 'fast-check';
import { BodyShare, FREE_BYTES, type BodyBudget } from '../platform/http/body-budget.js';
import { AgentLoad } from './agent-load.js';
import { AnswerRoom, type StoredBodies } from './answer-room.js';

const MIB = 1024 * 1024;
const LIMIT = 30 * MIB;
const account: BodyBudget = { freeBytes: 0, take: () => {}, give: () => {} };

/** The part of a response that a room sees. */
class Written extends EventEmitter {
  closed = false;
  req: { work?: Promise<unknown> } = {};
  socket = { setTimeout: () => {} };
  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

function open(load: AgentLoad): { room: AnswerRoom; response: Written } {
  const response = new Written();
  return { room: new AnswerRoom(load, response as unknown as Response), response };
}

const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('every answer gets the room that it needs in the end, at most one exceeds the limit, and all room is released', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 * MIB }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(sizes, async (wanted) => {
      const load = new AgentLoad(0, LIMIT, account);
      let most = 0;
      const answers = wanted.map(async (size) => {
        const { room, response } = open(load);
        await room.during(async () => {
          // Half of it first, as a body grows.
          for (const part of [size / 2, size]) {
            await new Promise<void>((resolve) => void (room.grow(part, resolve) && resolve()));
            most = Math.max(most, load.bufferedBytes);
            await nextPass();
          }
        });
        room.write(size);
        await nextPass();
        response.close();
      });
      await Promise.all(answers);
      expect(most).toBeLessThanOrEqual(LIMIT + 20 * MIB);
      expect(load.bufferedBytes).toBe(0);
    }),
  );
});

it('a room drops its reference to a written response that it does not charge, because records keep rooms until they are settled', async () => {
  const load = new AgentLoad(0, LIMIT, account);
  const { room, response } = open(load);
  await room.during(() => Promise.resolve());
  room.write(FREE_BYTES);
  expect(Object.values(room)).not.toContain(response);
  expect(response.req.work).toBeUndefined();
});

it('releases the room of an answer whose agent hung up, also if the answer still waits for room', async () => {
  const load = new AgentLoad(0, LIMIT, account);
  let endWork = (): void => {};
  const workEnds = new Promise<void>((resolve) => (endWork = resolve));
  const requests = [1, 2, 3].map(() => open(load));
  const works = requests.map(({ room, response }) =>
    room.during(async () => {
      room.grow(LIMIT, () => {});
      response.close();
      await workEnds;
    }),
  );
  // The first one, and one above the limit. The third one waits.
  expect(load.bufferedBytes).toBeGreaterThan(LIMIT);
  endWork();
  await Promise.all(works);
  await nextPass();
  expect(load.bufferedBytes).toBe(0);
});

it('reads few stored answers at once, because each may be large, and refuses nothing because of it', async () => {
  const load = new AgentLoad(10 * MIB, LIMIT, account);
  let [now, most] = [0, 0];
  const requests = Array.from({ length: 10 }, () => open(load));
  await Promise.all(
    requests.map(({ room }) =>
      room.during(async () => {
        const read = async () => {
          most = Math.max(most, ++now);
          load.take(MIB);
          await nextPass();
          load.give(MIB);
          now -= 1;
          return { resultBody: Buffer.alloc(MIB) };
        };
        await room.reading(read, (found) => found);
      }),
    ),
  );
  // One within the limit, and one above it.
  expect(most).toBe(2);
  expect(load.bufferedBytes).toBe(10 * (MIB - FREE_BYTES));
  for (const { response } of requests) response.close();
  expect(load.bufferedBytes).toBe(0);
});

it('refuses no request because of the room that a stored answer has waited for', async () => {
  const load = new AgentLoad(10 * MIB, LIMIT, account);
  load.take(12 * MIB);
  const read = async () => {
    await nextPass();
    return {};
  };
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      const { room, response } = open(load);
      await room.during(() => room.reading(read, (found) => found));
      // Charges the next one, which goes on only in the next pass.
      response.close();
      expect(load.isFull).toBe(false);
    }),
  );
  load.give(12 * MIB);
  expect(load.bufferedBytes).toBe(0);
});

it('charges stored bodies by their bytes in memory: two for each character if the text has one beyond Latin-1', async () => {
  const load = new AgentLoad(10 * MIB, LIMIT, account);
  const charged = async (found: StoredBodies): Promise<number> => {
    const { room, response } = open(load);
    await room.during(() =>
      room.reading(
        () => Promise.resolve(found),
        (bodies) => bodies,
      ),
    );
    const bytes = load.bufferedBytes + FREE_BYTES;
    response.close();
    return bytes;
  };
  expect(await charged({ body: 'x'.repeat(MIB) })).toBe(MIB);
  expect(await charged({ body: '中'.padEnd(MIB), resultBody: Buffer.alloc(MIB) })).toBe(3 * MIB);
  expect(await charged({ body: '中'.padEnd(10 * MIB), resultBody: Buffer.alloc(10 * MIB) })).toBe(30 * MIB);
});

it('charges both the stored request and the answer of an execution until the answer is written', async () => {
  const load = new AgentLoad(10 * MIB, LIMIT, account);
  const { room, response } = open(load);
  await room.during(async () => {
    const read = () => Promise.resolve({ body: 'x'.repeat(4 * MIB) });
    for (let times = 0; times < 2; times++) await room.reading(read, (found) => found);
    await room.whenRoom(3 * MIB);
    expect(load.bufferedBytes).toBe(7 * MIB - FREE_BYTES);
    room.shrink(MIB);
    expect(load.bufferedBytes).toBe(5 * MIB - FREE_BYTES);
  });
  room.write(MIB);
  // Twice, because V8 frees its memory late.
  expect(load.bufferedBytes).toBe(2 * MIB - FREE_BYTES);
  response.close();
  expect(load.bufferedBytes).toBe(0);
});

it('charges the body of a client that hung up until the work with it is done', async () => {
  const load = new AgentLoad(0, LIMIT, account);
  const { room, response } = open(load);
  new BodyShare(load, response as unknown as Response).resize(MIB);
  let endWork = (): void => {};
  const work = room.during(() => new Promise<void>((resolve) => (endWork = resolve)));
  response.close();
  await nextPass();
  expect(load.bufferedBytes).toBe(MIB - FREE_BYTES);
  endWork();
  await work;
  await nextPass();
  expect(load.bufferedBytes).toBe(0);
});

it('calls a listener once when the response closes, also if it has closed already', () => {
  const { room, response } = open(new AgentLoad(0, LIMIT, account));
  let calls = 0;
  room.whenOver(() => (calls += 1));
  expect(calls).toBe(0);
  response.close();
  room.whenOver(() => (calls += 1));
  expect(calls).toBe(2);
});
