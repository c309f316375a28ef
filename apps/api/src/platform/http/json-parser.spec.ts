import { parseLargeJsonObject } from './json-parser.js';

/** Larger than what the main thread parses. */
const LARGE = 300 * 1024;

it('parses the large bodies of senders in turn, so that nobody waits for all bodies of another', async () => {
  const parsed: string[] = [];
  const parse = async (sender: string, end: string): Promise<void> => {
    const bytes = new TextEncoder().encode(`{"a":"${'x'.repeat(LARGE)}"${end}`);
    await Promise.resolve(parseLargeJsonObject(bytes, sender)).catch(() => undefined);
    parsed.push(sender);
  };
  await Promise.all([
    parse('a', ''),
    parse('a', '}'),
    parse('a', '}'),
    parse('b', '}'),
    parse('b', '}'),
    parse('c', '}'),
  ]);
  expect(parsed).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});
