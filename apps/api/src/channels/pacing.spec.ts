import * as fc from 'fast-check';
import { ALONE_MAX, pace, paceDigest, type DueNotice, type PacedChannel } from './pacing.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);
const notice = (id: string, more: Partial<DueNotice> = {}): DueNotice => ({ id, risk: 0.5, heldBack: false, ...more });
const channel = (more: Partial<PacedChannel> = {}): PacedChannel => ({
  now: NOW,
  quietUntil: null,
  sentLately: 0,
  windowEnd: null,
  hasDigest: false,
  due: ['a', 'b', 'c'].map((id) => notice(id)),
  ...more,
});

describe('what is due', () => {
  it('is sent alone at most twice a minute; the third and later ones join a digest that is sent a minute later', () => {
    expect(pace(channel())).toEqual({ waiting: [], alone: ['a', 'b'], bundled: ['c'], digestAt: after(60) });
    expect(pace(channel({ sentLately: 1, windowEnd: after(20) }))).toMatchObject({ alone: ['a'], digestAt: after(60) });
    const full = { sentLately: 2, windowEnd: after(20) };
    expect(pace(channel(full))).toMatchObject({ alone: [], bundled: ['a', 'b', 'c'], digestAt: after(20) });
  });

  it('joins a digest that collects or has just left, so that nothing overtakes what waits', () => {
    expect(pace(channel({ hasDigest: true }))).toMatchObject({ alone: [], bundled: ['a', 'b', 'c'], digestAt: NOW });
  });

  it('waits for the end of the quiet hours, unless it is urgent', () => {
    const due = [notice('a'), notice('urgent', { risk: 0.95 }), notice('no risk', { risk: null })];
    const decided = pace(channel({ quietUntil: after(3600), due }));
    expect(decided).toEqual({ waiting: ['a', 'no risk'], alone: ['urgent'], bundled: [], digestAt: null });
  });

  it('is sent in one digest with the others if quiet hours delayed one of them', () => {
    const due = [notice('a', { heldBack: true }), notice('b')];
    expect(pace(channel({ due }))).toMatchObject({ alone: [], bundled: ['a', 'b'], digestAt: NOW });
    expect(pace(channel({ due: due.slice(0, 1) }))).toMatchObject({ alone: ['a'], bundled: [] });
  });

  it('is in exactly one list, in order, and at most two are sent alone within a minute', () => {
    const due = fc.array(
      fc.record({ risk: fc.option(fc.double({ min: 0, max: 1, noNaN: true })), heldBack: fc.boolean() }),
      { maxLength: 20 },
    );
    const given = fc.record({
      due,
      sentLately: fc.integer({ min: 0, max: 5 }),
      hasDigest: fc.boolean(),
      quietUntil: fc.constantFrom(null, after(600)),
      windowEnd: fc.constantFrom(null, after(30)),
    });
    fc.assert(
      fc.property(given, (terms) => {
        const notices = terms.due.map((each, n) => notice(String(n).padStart(2, '0'), each));
        const decided = pace(channel({ ...terms, due: notices }));
        const { waiting, alone, bundled, digestAt } = decided;
        expect([...waiting, ...alone, ...bundled].sort()).toEqual(notices.map(({ id }) => id));
        for (const list of [waiting, alone, bundled]) expect(list).toEqual([...list].sort());
        expect(alone.length + Math.min(terms.sentLately, ALONE_MAX)).toBeLessThanOrEqual(ALONE_MAX);
        if (terms.hasDigest) expect(alone).toEqual([]);
        if (terms.quietUntil === null) expect(waiting).toEqual([]);
        // What stands alone is older than what joins the digest.
        if (alone.length > 0 && bundled.length > 0) expect(alone.at(-1)! < bundled[0]).toBe(true);
        expect(digestAt === null).toBe(bundled.length === 0);
      }),
    );
  });
});

describe('a digest that is due', () => {
  it.each([
    { count: 0, risk: 0, quiet: false, becomes: 'drop' },
    { count: 0, risk: 0, quiet: true, becomes: 'drop' },
    { count: 1, risk: 0.5, quiet: false, becomes: 'alone' },
    { count: 2, risk: 0.5, quiet: false, becomes: 'send' },
    { count: 1, risk: 0.5, quiet: true, becomes: 'wait' },
    { count: 2, risk: 0.5, quiet: true, becomes: 'wait' },
    { count: 1, risk: 0.95, quiet: true, becomes: 'alone' },
    { count: 2, risk: 0.95, quiet: true, becomes: 'send' },
  ])(
    'with $count notifications of risk $risk, in quiet hours: $quiet, becomes $becomes',
    ({ quiet, becomes, ...due }) => {
      expect(paceDigest(quiet ? after(60) : null, due)).toBe(becomes);
    },
  );
});
