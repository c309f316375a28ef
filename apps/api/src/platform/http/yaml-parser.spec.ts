import { parseYamlObject } from './yaml-parser.js';

it('reads the bodies of senders in turn, so that nobody waits for all bodies of another', async () => {
  const read: string[] = [];
  const parse = async (sender: string, text: string): Promise<void> => {
    await parseYamlObject(Buffer.from(text), sender).catch(() => undefined);
    read.push(sender);
  };
  await Promise.all([
    parse('a', 'a: ['),
    parse('a', 'a: 1'),
    parse('a', 'a: 1'),
    parse('b', 'a: 1'),
    parse('c', 'a: 1'),
  ]);
  expect(read).toEqual(['a', 'b', 'c', 'a', 'a']);
  expect(await parseYamlObject(Buffer.from('a: 1'), 'a')).toEqual({ a: 1 });
});
