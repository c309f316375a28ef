import fc from 'fast-check';
import { isAlike, layoutOf, limitOf, membersOf, type JsonLayout } from './json-layout.js';
import { readJson, type JsonNode } from './json-tree.js';

const nodeOf = (value: unknown): JsonNode => readJson(JSON.stringify(value))!;

function rows(node: JsonNode, layout: JsonLayout, depth = 0): number {
  if (depth >= layout.depth) return 1;
  const members = membersOf(node).slice(0, limitOf(node, layout));
  return members.reduce((sum, member) => sum + rows(member, layout, depth + 1), 1);
}

describe('layoutOf', () => {
  it('shows every key of a body with fewer than 200, at any depth', () => {
    const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ inner }), 'bottom');
    const layout = layoutOf(nodeOf(deep));
    expect(rows(nodeOf(deep), layout)).toBe(61);
    const wide = nodeOf(Object.fromEntries(Array.from({ length: 190 }, (_, index) => [`k${index}`, index])));
    expect(rows(wide, layoutOf(wide))).toBe(191);
  });

  it('cuts lists before keys', () => {
    const order = { id: 1, lines: Array(341).fill({ sku: 'a', count: 2 }), note: 'x' };
    expect(layoutOf(nodeOf(order))).toMatchObject({ items: 20, keys: 200 });
  });

  it('renders 200 rows at most, whatever the body is', () => {
    const bodies = fc.object({ maxDepth: 5, maxKeys: 40, values: [fc.constant(1), fc.array(fc.integer())] });
    fc.assert(
      fc.property(fc.array(bodies, { minLength: 1, maxLength: 60 }), (body) => {
        const node = nodeOf(body);
        expect(rows(node, layoutOf(node))).toBeLessThanOrEqual(200);
      }),
    );
    const bushy = (depth: number): unknown =>
      depth === 0 ? 1 : Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, bushy(depth - 1)]));
    const node = nodeOf(bushy(4));
    expect(rows(node, layoutOf(node))).toBeLessThanOrEqual(200);
  });
});

describe('isAlike', () => {
  const itemsOf = (values: unknown[]) => membersOf(nodeOf(values));

  it('is about keys at every depth, and not about values', () => {
    expect(
      isAlike(
        itemsOf([
          { a: 1, b: [] },
          { b: [], a: 2 },
        ]),
        1,
      ),
    ).toBe(true);
    expect(isAlike(itemsOf([{ a: 1 }, { a: 2 }, { a: 3, admin: true }]), 1)).toBe(false);
    expect(isAlike(itemsOf([{ user: { id: 1 } }, { user: { id: 2, admin: true } }]), 1)).toBe(false);
    expect(isAlike(itemsOf([1, 2, 'three']), 1)).toBe(false);
  });
});
