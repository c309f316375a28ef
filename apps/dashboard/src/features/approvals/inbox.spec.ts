import type { Action } from '#contracts';
import fc from 'fast-check';
import { belongs, compare, readView } from './filters.js';
import { areIdentical, groupIdentical } from './groups.js';
import { EMPTY_INBOX, reduceInbox, type Inbox, type InboxChange } from './inbox.js';

const action = (id: string, fields: Partial<Action> = {}): Action => ({
  action_id: id,
  status: 'PENDING',
  blocked: null,
  created_at: '2026-01-01T00:00:00.000Z',
  resolved_at: null,
  expires_at: '2026-01-02T00:00:00.000Z',
  approvalExpiresAt: null,
  summary: 'DELETE customer 42',
  agent: { id: 1, name: 'billing-bot' },
  service: { id: 1, name: 'Stripe' },
  method: 'DELETE',
  targetUrl: 'https://api.stripe.com/v1/customers/42',
  headers: {},
  body: null,
  intent: 'clean up',
  risk_score: 0.9,
  risk_explanation: '',
  risk_source: 'model',
  resolved_by: null,
  resolution_note: null,
  times_asked: 1,
  last_polled_at: null,
  executed_at: null,
  result: null,
  ...fields,
});

const ids = (actions: readonly Action[]) => actions.map(({ action_id }) => action_id);
const loadedWith = (...names: string[]): Inbox =>
  reduceInbox(EMPTY_INBOX, { type: 'loaded', items: names.map((name) => action(name)), extended: false });

describe('the inbox on screen', () => {
  it('lets newcomers wait until they are asked for, then puts them where they belong', () => {
    let inbox = loadedWith('a', 'b');
    const late = action('c', { created_at: '2026-01-01T01:00:00.000Z' });
    inbox = reduceInbox(inbox, { type: 'changed', action: late, belongs: true });
    expect(ids(inbox.shown)).toEqual(['a', 'b']);
    expect(ids(inbox.newcomers)).toEqual(['c']);
    inbox = reduceInbox(inbox, { type: 'revealed', order: compare('newest') });
    expect(ids(inbox.shown)).toEqual(['c', 'a', 'b']);
    expect(inbox.newcomers).toEqual([]);
  });

  it('keeps what others decided in its place, and lets it go when tidied', () => {
    let inbox = loadedWith('a', 'b', 'c');
    inbox = reduceInbox(inbox, { type: 'changed', action: action('b', { status: 'DENIED' }), belongs: false });
    expect(inbox.shown.map(({ status }) => status)).toEqual(['PENDING', 'DENIED', 'PENDING']);
    inbox = reduceInbox(inbox, { type: 'tidied', belongs: ({ status }) => status === 'PENDING' });
    expect(ids(inbox.shown)).toEqual(['a', 'c']);
  });

  it('forgets a newcomer that was decided before anybody saw it', () => {
    let inbox = loadedWith('a');
    inbox = reduceInbox(inbox, { type: 'changed', action: action('b'), belongs: true });
    inbox = reduceInbox(inbox, { type: 'changed', action: action('b', { status: 'DENIED' }), belongs: false });
    expect(inbox.newcomers).toEqual([]);
  });

  it('takes a further page at the end, and unknown ones of a reload as newcomers', () => {
    let inbox = loadedWith('a', 'b');
    inbox = reduceInbox(inbox, { type: 'loaded', items: ['a', 'b', 'c'].map((name) => action(name)), extended: true });
    expect(ids(inbox.shown)).toEqual(['a', 'b', 'c']);
    inbox = reduceInbox(inbox, { type: 'loaded', items: ['x', 'a', 'c'].map((name) => action(name)), extended: false });
    expect(ids(inbox.shown)).toEqual(['a', 'b', 'c']);
    expect(ids(inbox.newcomers)).toEqual(['x']);
  });

  it('moves nothing on screen whatever the server tells', () => {
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
  it('are one group in the place of the first', () => {
    const groups = groupIdentical([action('a'), action('b', { body: 'x' }), action('c', { intent: 'another word' })]);
    expect(groups.map(({ actions }) => ids(actions))).toEqual([['a', 'c'], ['b']]);
  });

  it.each([
    { method: 'PUT' as const },
    { targetUrl: 'https://api.stripe.com/v1/customers/43' },
    { body: '' },
    { headers: { 'X-A': '1' } },
    { agent: { id: 2, name: 'billing-bot' } },
    { service: { id: 2, name: 'Stripe' } },
    { bodyEncoding: 'base64' as const },
  ])('differ by %j', (difference) => {
    expect(areIdentical([action('a'), action('b', difference)])).toBe(false);
  });

  it('ignore the order and letter case of headers', () => {
    expect(
      areIdentical([action('a', { headers: { A: '1', b: '2' } }), action('b', { headers: { B: '2', a: '1' } })]),
    ).toBe(true);
  });
});

describe('the view in the URL', () => {
  it('ignores what it does not know', () => {
    expect(readView(new URLSearchParams('tab=x&agent=-1&risk=low&method=BREW&sort=z'))).toEqual({
      tab: 'waiting',
      agent: null,
      service: null,
      risk: null,
      method: null,
      q: '',
      sort: 'newest',
    });
  });

  it('tells which live actions belong to it', () => {
    const view = readView(new URLSearchParams('agent=1&risk=critical&method=DELETE'));
    expect(belongs(action('a'), view, 7)).toBe(true);
    expect(belongs(action('a', { risk_score: 0.79 }), view, 7)).toBe(false);
    expect(belongs(action('a', { status: 'APPROVED' }), view, 7)).toBe(false);
    expect(belongs(action('a', { agent: { id: 2, name: 'x' } }), view, 7)).toBe(false);
  });

  it('knows what the user decided today', () => {
    const view = readView(new URLSearchParams('tab=mine'));
    const decided = { status: 'DENIED' as const, resolved_by: { id: 7, name: 'Ann' } };
    expect(belongs(action('a', { ...decided, resolved_at: new Date().toISOString() }), view, 7)).toBe(true);
    expect(belongs(action('a', { ...decided, resolved_at: new Date().toISOString() }), view, 8)).toBe(false);
    expect(belongs(action('a', { ...decided, resolved_at: '2020-01-01T00:00:00Z' }), view, 7)).toBe(false);
  });
});
