import { Clock } from './clock.js';
import type { ShortSteps } from './short-steps.js';
import { Turns } from './turns.js';

/** Each step takes as long as a slice, so that each pass does one. */
class SlowClock extends Clock {
  private ms = 0;
  override monotonicMs(): number {
    return (this.ms += 1);
  }
}

function* counted(count: number, onStep: (n: number) => void): ShortSteps<number> {
  for (let n = 0; n < count; n++) {
    onStep(n);
    yield;
  }
  return count;
}

it('gives an agent with a hundred tasks the same share as an agent with one', async () => {
  const turns = new Turns(new SlowClock());
  let hungry = 0;
  const all = Array.from({ length: 100 }, () =>
    turns.finish(
      1,
      counted(50, () => (hungry += 1)),
    ),
  );
  let stepsOfHungry = 0;
  await turns
    .finish(
      2,
      counted(50, () => {}),
    )
    .then(() => (stepsOfHungry = hungry));
  expect(stepsOfHungry).toBeLessThanOrEqual(52);
  expect(await Promise.all(all)).toEqual(Array.from({ length: 100 }, () => 50));
});

it('lets the event loop pass between two slices', async () => {
  const turns = new Turns(new SlowClock());
  let steps = 0;
  const long = turns.finish(
    1,
    counted(100, () => (steps += 1)),
  );
  const seen: number[] = [];
  for (let n = 0; n < 5; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(steps);
  }
  expect(Math.max(...seen)).toBeLessThan(100);
  await long;
});

it('goes on after a step that fails', async () => {
  const turns = new Turns(new Clock());
  const failing = turns.finish(
    1,
    // eslint-disable-next-line require-yield
    (function* (): ShortSteps<never> {
      throw new Error('broken');
    })(),
  );
  await expect(failing).rejects.toThrow('broken');
  expect(
    await turns.finish(
      1,
      counted(3, () => {}),
    ),
  ).toBe(3);
});

it('goes on with the turns of all agents after a step that throws', () => {
  const passes: (() => void)[] = [];
  const planned = jest
    .spyOn(globalThis, 'setImmediate')
    .mockImplementation((pass: () => void) => passes.push(pass) as unknown as NodeJS.Immediate);
  try {
    const done: string[] = [];
    const turns = new Turns(new SlowClock());
    turns.take(1, () => {
      throw new Error('a listener threw');
    });
    turns.take(2, () => done.push('other agent'));
    // The process survives what a callback of the event loop throws.
    expect(() => passes.shift()!()).toThrow('a listener threw');
    turns.take(1, () => done.push('same agent'));
    for (let pass = passes.shift(); pass !== undefined; pass = passes.shift()) pass();
    expect(done).toEqual(['other agent', 'same agent']);
  } finally {
    planned.mockRestore();
  }
});

it('begins a task at once inside a turn of the same agent, but not inside a turn of another agent or outside of turns', async () => {
  const turns = new Turns(new Clock());
  const begun: string[] = [];
  const begin = async (agentId: number, name: string) =>
    turns.beginInTurn(
      agentId,
      counted(1, () => begun.push(name)),
    );
  const tasks = [begin(1, 'outside')];
  expect(begun).toEqual([]);
  await new Promise<void>((resolve) =>
    turns.take(2, () => {
      tasks.push(begin(2, 'own'), begin(1, 'of another'));
      expect(begun).toEqual(['outside', 'own']);
      resolve();
    }),
  );
  await Promise.all(tasks);
  expect(begun).toEqual(['outside', 'own', 'of another']);
});
