import { setImmediate as endOfTurn } from 'node:timers/promises';
import { GroupCommit } from './group-commit.js';

const state = (code: string) => Object.assign(new Error(code), { code });

describe('GroupCommit', () => {
  it('writes all items that arrive during a statement with the next one', async () => {
    const batches: number[][] = [];
    const later: Promise<number>[] = [];
    const group = new GroupCommit<number, number>(async (items) => {
      if (batches.push(items) === 1) later.push(group.add(2), group.add(3));
      return items.map((item) => item * 2);
    });
    expect(await group.add(1)).toBe(2);
    expect(await Promise.all(later)).toEqual([4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('writes the items of five turns of the event loop with one statement', async () => {
    const batches: number[][] = [];
    const group = new GroupCommit<number, number>(async (items) => {
      batches.push(items);
      return items;
    });
    const adding: Promise<number>[] = [];
    for (const turn of [1, 2, 3, 4, 5]) {
      adding.push(group.add(turn));
      await endOfTurn();
    }
    await Promise.all([...adding, group.add(6)]);
    expect(batches).toEqual([[1, 2, 3, 4, 5], [6]]);
  });

  it('repeats a statement after a conflict', async () => {
    let attempts = 0;
    const group = new GroupCommit<number, number>(async (items) => {
      attempts++;
      if (attempts === 1) throw state('40P01');
      if (attempts === 2) throw state('40001');
      return items;
    });
    expect(await group.add(7)).toBe(7);
    expect(attempts).toBe(3);
  });

  it('gives up after the third conflict', async () => {
    let attempts = 0;
    const group = new GroupCommit<number, number>(async () => {
      attempts++;
      throw state('40P01');
    });
    await expect(group.add(1)).rejects.toThrow('40P01');
    expect(attempts).toBe(3);
  });

  it('fails only the row that causes an error', async () => {
    const group = new GroupCommit<number, number>(async (items) => {
      if (items.includes(2)) throw state('22P05');
      return items;
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => group.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('fails the items queued behind a timed-out statement, but tries later ones', async () => {
    const commits: number[][] = [];
    let queued!: Promise<number>;
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const group = new GroupCommit<number, number>((items) => {
      commits.push(items);
      if (commits.length > 1) return Promise.resolve(items);
      queued = group.add(2);
      now.mockReturnValue(3500);
      return Promise.reject(new Error('Query read timeout'));
    });
    await expect(group.add(1)).rejects.toThrow('Query read timeout');
    await expect(queued).rejects.toThrow('Query read timeout');
    now.mockRestore();
    expect(await group.add(3)).toBe(3);
    expect(commits).toEqual([[1], [3]]);
  });
});
