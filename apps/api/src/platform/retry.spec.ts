import { retry } from './retry.js';

/** Fails this many times, and then returns the number of its attempts. */
function failing(times: number) {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (attempts <= times) throw new Error(`failure ${attempts}`);
    return attempts;
  };
}

it('returns the first success', async () => {
  await expect(retry(failing(0), { attempts: 3 })).resolves.toBe(1);
  await expect(retry(failing(2), { attempts: 3 })).resolves.toBe(3);
});

it('throws the last error when no attempt is left', async () => {
  await expect(retry(failing(3), { attempts: 3 })).rejects.toThrow('failure 3');
});

it('throws an error that is not worth another attempt', async () => {
  const when = (error: unknown) => (error as Error).message !== 'failure 2';
  await expect(retry(failing(3), { attempts: 5, when })).rejects.toThrow('failure 2');
});

it('runs the given preparation before each further attempt', async () => {
  const counts: number[] = [];
  await retry(failing(2), { attempts: 3, before: async (attempts) => counts.push(attempts) });
  expect(counts).toEqual([1, 2]);
});
