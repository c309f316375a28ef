import fc from 'fast-check';
import { hasRepeatedKeys, readJson, type JsonNode } from './json-tree.js';

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object': {
      const object: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      for (const { key, value } of node.entries) object[key] = plain(value);
      return { ...object };
    }
    case 'array':
      return node.items.map(plain);
    case 'string':
      return node.value;
    default:
      return JSON.parse(node.value);
  }
}

describe('readJson', () => {
  it('reads every object and array as JSON.parse does', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
        fc.boolean(),
        (value, pretty) => {
          const text = JSON.stringify(value, null, pretty ? 2 : 0);
          expect(JSON.stringify(plain(readJson(text)!))).toBe(JSON.stringify(JSON.parse(text)));
        },
      ),
    );
  });

  it('keeps the exact digits of numbers', () => {
    expect(readJson('[12345678901234567890, 1.10]')).toMatchObject({
      kind: 'array',
      items: [
        { kind: 'number', value: '12345678901234567890' },
        { kind: 'number', value: '1.10' },
      ],
    });
  });

  it('keeps and marks duplicate keys, however they are escaped', () => {
    const node = readJson('{"id": 1, "\\u0069d": 2}')!;
    expect(node).toMatchObject({ entries: [{ repeated: false }, { key: 'id', repeated: true }] });
    expect(hasRepeatedKeys(node)).toBe(true);
    expect(hasRepeatedKeys(readJson('{"a":{"id":1},"id":2}')!)).toBe(false);
  });

  it.each(['', '1', '"x"', '{', '{"a":1,}', '[01]', '{a:1}', '[1] x', "['a']", '["\u0001"]', '[NaN]', '['.repeat(300)])(
    'refuses %j',
    (text) => {
      expect(readJson(text)).toBeNull();
    },
  );
});
