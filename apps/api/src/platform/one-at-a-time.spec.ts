import { setImmediate as nextTurn } from 'node:timers/promises';
import { OneAtATime } from './one-at-a-time.js';

it('does the work of an owner one after the other, in order, and does not make others wait', async () => {
  const log: string[] = [];
  const work = (name: string, turns: number) => async () => {
    log.push(`${name} begins`);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    log.push(`${name} ends`);
    return name;
  };
  const all = new OneAtATime();
  const names = await Promise.all([all.run(1, work('a', 5)), all.run(1, work('b', 1)), all.run(2, work('c', 1))]);
  expect(names).toEqual(['a', 'b', 'c']);
  expect(log).toEqual(['a begins', 'c begins', 'c ends', 'a ends', 'b begins', 'b ends']);
});

it('goes on after a work that fails', async () => {
  const all = new OneAtATime();
  const failed = all.run(1, () => Promise.reject(new Error('broken')));
  const next = all.run(1, async () => 'next');
  await expect(failed).rejects.toThrow('broken');
  expect(await next).toBe('next');
  expect(await all.run(1, async () => 'later')).toBe('later');
});
