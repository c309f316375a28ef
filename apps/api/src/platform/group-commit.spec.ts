import { GroupCommit } from './group-commit.js';

const state = (code: string) => Object.assign(new Error(code), { code });

describe('GroupCommit', () => {
  it('writes all items that arrive during a statement with the next one', async () => {
    const batches: number[][] = [];
    const group = new GroupCommit<number, number>(async (items) => {
      batches.push(items);
      await new Promise((resolve) => setImmediate(resolve));
      return items.map((item) => item * 2);
    });
    const first = group.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await Promise.all([first, group.add(2), group.add(3)])).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
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
    let fail!: (error: Error) => void;
    const group = new GroupCommit<number, number>((items) => {
      commits.push(items);
      return commits.length === 1 ? new Promise((_, reject) => (fail = reject)) : Promise.resolve(items);
    });
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const first = group.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    const second = group.add(2);
    now.mockReturnValue(3500);
    fail(new Error('Query read timeout'));
    const results = await Promise.allSettled([first, second]);
    now.mockRestore();
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await group.add(3)).toBe(3);
    expect(commits).toEqual([[1], [3]]);
  });
});
