import type { ActionSummary } from '#contracts';
import fc from 'fast-check';
import { belongs, compare, readView } from './filters.js';
import { areIdentical, groupIdentical } from './groups.js';
import { emptyInbox, reduceInbox, type Inbox, type InboxChange } from './inbox.js';

const action = (id: string, fields: Partial<ActionSummary> = {}): ActionSummary => ({
  action_id: id,
  status: 'PENDING',
  blocked: null,
  revises: null,
  revised_as: null,
  approvals: { needed: 1, given: [], mayApprove: [], mayApproveCount: 0, tooFew: false, you: 'may_approve' },
  created_at: '2026-01-01T00:00:00.000Z',
  resolved_at: null,
  expires_at: '2026-01-02T00:00:00.000Z',
  approvalExpiresAt: null,
  countsFrom: null,
  executing: false,
  summary: 'DELETE customer 42',
  headline: 'DELETE customer 42',
  agent: { id: 1, name: 'billing-bot' },
  service: { id: 1, name: 'Stripe' },
  method: 'DELETE',
  targetUrl: 'https://api.stripe.com/v1/customers/42',
  bodyBytes: null,
  bodyType: null,
  digest: null,
  intent: 'clean up',
  risk_score: 0.9,
  assessment: { state: 'done', method: 0.7, effects: 0.7, model: 1 },
  risk_explanation: '',
  risk_source: 'model',
  effects: [],
  resolved_by: null,
  resolution_note: null,
  times_asked: 1,
  last_polled_at: null,
  repeats: null,
  executed_at: null,
  ...fields,
});

const ids = (actions: readonly ActionSummary[]) => actions.map(({ action_id }) => action_id);
const loadedWith = (...names: string[]): Inbox =>
  reduceInbox(emptyInbox(compare('newest')), {
    type: 'loaded',
    items: names.map((name) => action(name)),
    extended: false,
  });

describe('the inbox on screen', () => {
  it('holds new actions back until the user shows them, then inserts them in order', () => {
    let inbox = loadedWith('a', 'b');
    const late = action('c', { created_at: '2026-01-01T01:00:00.000Z' });
    inbox = reduceInbox(inbox, { type: 'changed', action: late, belongs: true });
    expect(ids(inbox.shown)).toEqual(['a', 'b']);
    expect(ids(inbox.newcomers)).toEqual(['c']);
    inbox = reduceInbox(inbox, { type: 'revealed' });
    expect(ids(inbox.shown)).toEqual(['c', 'a', 'b']);
    expect(inbox.newcomers).toEqual([]);
    expect(inbox.fresh).toEqual(['c']);
    expect(reduceInbox(inbox, { type: 'left', order: inbox.order }).fresh).toEqual([]);
  });

  it('keeps actions that others decided in place until the list is tidied', () => {
    let inbox = loadedWith('a', 'b', 'c');
    inbox = reduceInbox(inbox, { type: 'changed', action: action('b', { status: 'DENIED' }), belongs: false });
    expect(inbox.shown.map(({ status }) => status)).toEqual(['PENDING', 'DENIED', 'PENDING']);
    inbox = reduceInbox(inbox, { type: 'tidied', belongs: ({ status }) => status === 'PENDING' });
    expect(ids(inbox.shown)).toEqual(['a', 'c']);
  });

  it('drops a new action that was decided before it was shown', () => {
    let inbox = loadedWith('a');
    inbox = reduceInbox(inbox, { type: 'changed', action: action('b'), belongs: true });
    inbox = reduceInbox(inbox, { type: 'changed', action: action('b', { status: 'DENIED' }), belongs: false });
    expect(inbox.newcomers).toEqual([]);
  });

  it('shows a new action immediately when the list is empty', () => {
    const newcomer = { type: 'changed', action: action('late'), belongs: true } as const;
    const nothingWaits = loadedWith();
    const heard = reduceInbox(nothingWaits, newcomer);
    const read = reduceInbox(nothingWaits, { type: 'loaded', items: [action('late')], extended: false });
    const waiting = reduceInbox(loadedWith('a'), newcomer);
    const decidedHere = reduceInbox(waiting, { type: 'decided', ids: ['a'] });
    const decidedElsewhere = reduceInbox(waiting, { type: 'tidied', belongs: ({ action_id }) => action_id !== 'a' });
    for (const inbox of [heard, read, decidedHere, decidedElsewhere]) {
      expect(ids(inbox.shown)).toEqual(['late']);
      expect(inbox.newcomers).toEqual([]);
    }
  });

  it('keeps a new action from an event that arrived before the list', () => {
    const heard = reduceInbox(emptyInbox(compare('newest')), {
      type: 'changed',
      action: action('late'),
      belongs: true,
    });
    expect(ids(reduceInbox(heard, { type: 'loaded', items: [action('a')], extended: false }).newcomers)).toEqual([
      'late',
    ]);
    expect(ids(reduceInbox(heard, { type: 'loaded', items: [action('late')], extended: false }).newcomers)).toEqual([]);
    expect(ids(reduceInbox(heard, { type: 'loaded', items: [], extended: false }).shown)).toEqual(['late']);
  });

  it('appends a further page, and holds unknown actions of a reload back', () => {
    let inbox = loadedWith('a', 'b');
    inbox = reduceInbox(inbox, { type: 'loaded', items: ['a', 'b', 'c'].map((name) => action(name)), extended: true });
    expect(ids(inbox.shown)).toEqual(['a', 'b', 'c']);
    inbox = reduceInbox(inbox, { type: 'loaded', items: ['x', 'a', 'c'].map((name) => action(name)), extended: false });
    expect(ids(inbox.shown)).toEqual(['a', 'b', 'c']);
    expect(ids(inbox.newcomers)).toEqual(['x']);
  });

  it('moves nothing on screen whatever the server sends', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const told: fc.Arbitrary<InboxChange> = fc.oneof(
      fc.record({ type: fc.constant('changed' as const), action: name.map((id) => action(id)), belongs: fc.boolean() }),
      fc.record({
        type: fc.constant('loaded' as const),
        items: fc.uniqueArray(name).map((names) => names.map((id) => action(id))),
        extended: fc.constant(false),
      }),
    );
    fc.assert(
      fc.property(fc.array(told), (changes) => {
        const before = loadedWith('b', 'd');
        const after = changes.reduce(reduceInbox, before);
        expect(ids(after.shown)).toEqual(['b', 'd']);
        expect(new Set(ids(after.newcomers)).size).toBe(after.newcomers.length);
      }),
    );
  });
});

describe('identical requests', () => {
  const sends = (digest: string | null, fields: Partial<ActionSummary> = {}) => ({ ...fields, digest });

  it('are one group at the position of the first', () => {
    const groups = groupIdentical([action('a', sends('one')), action('b', sends('two')), action('c', sends('one'))]);
    expect(groups.map(({ actions }) => ids(actions))).toEqual([['a', 'c'], ['b']]);
  });

  it.each([sends('two'), sends('one', { status: 'APPROVED' }), sends('one', { intent: 'another word' })])(
    'are not identical if %j differs',
    (difference) => {
      expect(areIdentical([action('a', sends('one')), action('b', difference)])).toBe(false);
    },
  );

  it('are not known to be identical when their agent or service was deleted', () => {
    expect(areIdentical([action('a', sends(null)), action('b', sends(null))])).toBe(false);
  });
});

describe('the view in the URL', () => {
  it('ignores unknown parameters', () => {
    expect(readView(new URLSearchParams('tab=x&agent=-1&risk=low&effect=magic&method=BREW&sort=z'), true)).toEqual({
      tab: 'waiting',
      agent: null,
      service: null,
      risk: null,
      effect: null,
      method: null,
      q: '',
      sort: 'urgent',
    });
    expect(readView(new URLSearchParams('tab=approved&sort=urgent'), true).sort).toBe('newest');
  });

  it('decides which live actions belong to it', () => {
    const view = readView(new URLSearchParams('agent=1&risk=critical&method=DELETE'), true);
    expect(belongs(action('a'), view, 7)).toBe(true);
    expect(belongs(action('a', { risk_score: 0.79 }), view, 7)).toBe(false);
    expect(belongs(action('a', { status: 'APPROVED' }), view, 7)).toBe(false);
    expect(belongs(action('a', { agent: { id: 2, name: 'x' } }), view, 7)).toBe(false);
    const deletes = readView(new URLSearchParams('effect=delete'), true);
    expect(belongs(action('a'), deletes, 7)).toBe(false);
    expect(belongs(action('a', { effects: [{ effect: 'delete', reason: 'DELETE' }] }), deletes, 7)).toBe(true);
  });

  it('shows deciders the actions that wait for them in a separate list, and shows others all waiting actions', () => {
    const you = (yours: ActionSummary['approvals']['you']) =>
      action('a', { approvals: { ...action('a').approvals, you: yours } });
    const all = [you('may_approve'), you('approved'), you('may_not')];
    const shownIn = (query: string, decides: boolean) =>
      all.map((each) => belongs(each, readView(new URLSearchParams(query), decides), 7));
    expect(shownIn('', true)).toEqual([true, false, false]);
    expect(shownIn('tab=others', true)).toEqual([false, true, true]);
    for (const query of ['', 'tab=others']) expect(shownIn(query, false)).toEqual([true, true, true]);
  });

  it('searches new actions like the server', () => {
    const found = (q: string) => belongs(action('a'), readView(new URLSearchParams({ q }), true), 7);
    expect(['CUSTOMERS/42', 'Clean', 'billing', 'stripe', 'delete customer'].map(found)).toEqual(Array(5).fill(true));
    expect(['customers/43', '%'].map(found)).toEqual([false, false]);
  });

  it('searches the amounts of new actions in every spelling, like the server', () => {
    const refund = action('r', { headline: 'Refund €12,500.00 · order 7731', intent: 'Give 3000 back' });
    const finds = (q: string) => belongs(refund, readView(new URLSearchParams({ q }), true), 7);
    for (const q of ['12,500', '€12,500.00', '12500', '12500.00', '1250000', '12.500,00', '3,000', '3.000'])
      expect([q, finds(q)]).toEqual([q, true]);
    for (const q of ['125,000', '12501', '30,000']) expect([q, finds(q)]).toEqual([q, false]);
  });

  it('sorts urgent and risky actions first', () => {
    const at = (id: string, risk_score: number, asked: string, expires: string) =>
      action(id, { risk_score, created_at: `2026-01-0${asked}:00.000Z`, expires_at: `2026-01-0${expires}:00.000Z` });
    const critical = at('critical with 50 minutes left', 0.95, '1T00:50', '2T00:50');
    const mild = at('mild with 23 hours left', 0.5, '1T23:00', '2T23:00');
    const last = at('mild with 2 minutes left', 0.5, '1T00:02', '2T00:02');
    expect(ids([mild, last, critical].sort(compare('urgent')))).toEqual(ids([critical, last, mild]));
  });

  it('recognizes the decisions that the user made today', () => {
    const view = readView(new URLSearchParams('tab=mine'), true);
    const decided = { status: 'DENIED' as const, resolved_by: { id: 7, name: 'Ann' } };
    expect(belongs(action('a', { ...decided, resolved_at: new Date().toISOString() }), view, 7)).toBe(true);
    expect(belongs(action('a', { ...decided, resolved_at: new Date().toISOString() }), view, 8)).toBe(false);
    expect(belongs(action('a', { ...decided, resolved_at: '2020-01-01T00:00:00Z' }), view, 7)).toBe(false);
  });
});
