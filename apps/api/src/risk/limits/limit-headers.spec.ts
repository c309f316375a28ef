import fc from 'fast-check';
import { rateLimitHeaders } from './limit-headers.js';
import { amountLeft, reachedLimit, tightestLimit, type LimitState } from './limit-to-count.js';

let ids = 0;
const state = (fields: Partial<LimitState> & Partial<LimitState['limit']> = {}): LimitState => {
  const { count = 10, per = 'hour', then = 'deny', ...rest } = fields;
  const id = ++ids;
  return {
    rule: { id, name: `Rule ${id}` },
    limit: { count, per, then },
    amount: '1',
    used: 3,
    fits: true,
    resetsInSeconds: 60,
    ...rest,
  };
};
const named = (name: string): LimitState => state({ rule: { id: ++ids, name } });

describe('the headers of a limit', () => {
  it('name what is left, the end of the window, the quota and the window', () => {
    expect(rateLimitHeaders([state({ rule: { id: 1, name: 'Refunds' }, resetsInSeconds: 17 })])).toEqual([
      ['RateLimit', '"Refunds";r=7;t=17'],
      ['RateLimit-Policy', '"Refunds";q=10;w=3600'],
    ]);
    expect(rateLimitHeaders([])).toEqual([]);
  });

  it('have integers, which never promise more than there is', () => {
    const [[, left], [, policy]] = rateLimitHeaders([state({ count: 10.5, used: 8.75 })]);
    expect([left, policy]).toEqual([expect.stringContaining(';r=1;'), expect.stringContaining(';q=10;')]);
    expect(rateLimitHeaders([state({ used: 12 })])[0][1]).toContain(';r=0;');
    expect(rateLimitHeaders([state({ count: 1e12, used: 0 })])[0][1]).toContain(';r=1000000000000;');
  });

  it('quote a name, and write what is not ASCII as in a URL', () => {
    expect(rateLimitHeaders([named('a "b" \\ c')])[0][1]).toMatch(/^"a \\"b\\" \\\\ c";/);
    expect(rateLimitHeaders([named('Rückzahlung')])[0][1]).toMatch(/^"R%C3%BCckzahlung";/);
    expect(rateLimitHeaders([named('a\r\nX: y')])[0][1]).toMatch(/^"a%0D%0AX: y";/);
    expect(rateLimitHeaders([named('\ud800')])[0][1]).toMatch(/^"%EF%BF%BD";/);
  });

  it('are valid whatever the name is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (name) => {
        for (const [, value] of rateLimitHeaders([named(name)])) {
          expect(value).toMatch(/^"(?:[ !#-[\]-~]|\\["\\])*";[rq]=\d{1,15};[tw]=\d{1,15}$/);
        }
      }),
    );
  });
});

describe('the tightest limit', () => {
  it('is the one into which the fewest requests like this one fit', () => {
    const [wide, narrow] = [state({ count: 100, used: 0 }), state({ count: 1000, used: 995 })];
    expect(tightestLimit([wide, narrow])).toBe(narrow);
    const sum = state({ count: 500, used: 0, amount: '200' });
    expect(tightestLimit([wide, narrow, sum])).toBe(sum);
    expect(tightestLimit([wide, state({ count: 500, used: 0, amount: '0' })])).toBe(wide);
    const unknown = state({ amount: null });
    expect(tightestLimit([narrow, unknown])).toBe(unknown);
  });

  it('of equal ones is the one whose window ends last', () => {
    const [soon, late] = [state({ resetsInSeconds: 5 }), state({ resetsInSeconds: 50 })];
    expect(tightestLimit([soon, late])).toBe(late);
    expect(tightestLimit([late, soon])).toBe(late);
  });

  it('has nothing left after an execution that exceeded it', () => {
    expect(amountLeft(state({ used: 12 }))).toBe(0);
  });
});

describe('the limit that decides', () => {
  it('refuses before it asks, and then ends last', () => {
    const asks = state({ fits: false, then: 'require_approval', resetsInSeconds: 900 });
    const [soon, late] = [state({ fits: false, resetsInSeconds: 5 }), state({ fits: false, resetsInSeconds: 50 })];
    expect(reachedLimit([asks, soon, late, state()])).toBe(late);
    expect(reachedLimit([state(), asks])).toBe(asks);
    expect(reachedLimit([state()])).toBeNull();
    expect(reachedLimit([])).toBeNull();
  });
});
