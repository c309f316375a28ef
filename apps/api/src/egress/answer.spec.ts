import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { headersByName, toStoredResponse } from './answer.js';

it('keeps all values of a name, in their order', () => {
  const headers: [string, string][] = [
    ['Vary', 'A'],
    ['X', '1'],
    ['vary', 'B'],
    ['__proto__', '2'],
    ['VARY', 'C'],
  ];
  expect([...headersByName(headers)]).toEqual([
    ['vary', ['A', 'B', 'C']],
    ['x', '1'],
    ['__proto__', '2'],
  ]);
  const stored = toStoredResponse({ status: 200, headers, body: Buffer.alloc(0) });
  expect(Object.entries(stored.headers)).toEqual([...headersByName(headers)]);
});

it('reads many headers of one name in linear time', async () => {
  const read = (count: number) => {
    const headers = Array.from({ length: count }, (): [string, string] => ['a', 'b']);
    return () => headersByName(headers);
  };
  // There are eight times as many: a quadratic reading needs 64 times as long.
  expect(await timesAsLong(read(320_000), read(40_000))).toBeLessThan(24);
});
