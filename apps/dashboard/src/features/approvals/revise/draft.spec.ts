import type { Action } from '#contracts';
import { headerFault, keep, keptDraft, revised, toReviseRequest, toRevisionDraft, whyBodyIsFixed } from './draft.js';

const action = (fields: Partial<Action> = {}): Action =>
  ({
    action_id: 'a',
    method: 'POST',
    targetUrl: 'https://api.example.com/refunds',
    headers: { 'Content-Type': 'application/json' },
    body: '{"amount":50000}',
    digest: 'd',
    ...fields,
  }) as Action;

it('changes nothing until somebody types', () => {
  for (const body of [null, '{"amount":1}', 'a\r\nb\r\n', 'a\nb']) {
    const proposed = action({ body });
    expect(toReviseRequest(proposed, toRevisionDraft(proposed))).toEqual({ note: null, digest: 'd' });
  }
});

it('sends only what differs', () => {
  const proposed = action();
  const typed = toRevisionDraft(proposed);
  expect(toReviseRequest(proposed, { ...typed, body: '{"amount":500}', note: ' less ' })).toEqual({
    body: '{"amount":500}',
    note: 'less',
    digest: 'd',
  });
  const headers = [...typed.headers, { name: ' X-Tag ', value: ' a ' }, { name: '', value: '' }];
  expect(toReviseRequest(proposed, { ...typed, headers, method: 'PUT' })).toEqual({
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'X-Tag': 'a' },
    note: null,
    digest: 'd',
  });
});

it('treats an empty text as no body', () => {
  expect(toReviseRequest(action(), { ...toRevisionDraft(action()), body: '' })).toMatchObject({ body: null });
  expect(toReviseRequest(action({ body: null }), toRevisionDraft(action({ body: null })))).not.toHaveProperty('body');
});

it('keeps the line ends of the body', () => {
  const proposed = action({ body: 'a\r\nb' });
  expect(toReviseRequest(proposed, { ...toRevisionDraft(proposed), body: 'a\nb\nc' })).toMatchObject({
    body: 'a\r\nb\r\nc',
  });
});

it('shows that a new body is sent without the content coding of the old one', () => {
  const proposed = action({ headers: { 'Content-Encoding': 'gzip', Accept: '*/*' } });
  expect(revised(proposed, toRevisionDraft(proposed)).headers).toEqual(proposed.headers);
  expect(revised(proposed, { ...toRevisionDraft(proposed), body: '{}' }).headers).toEqual({ Accept: '*/*' });
});

it.each([
  ['binary', { body: 'AP8=', bodyEncoding: 'base64' as const }],
  ['form', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' }],
  ['lineEnds', { body: 'a\r\nb\nc' }],
  ['lineEnds', { body: 'a\rb' }],
  [null, { body: 'a\nb' }],
])('knows a body that a field would not show or keep: %s', (why, fields) => {
  const proposed = action(fields);
  expect(whyBodyIsFixed(proposed)).toBe(why);
  if (why !== null) {
    const change = toReviseRequest(proposed, { ...toRevisionDraft(proposed), body: 'typed', targetUrl: 'https://x/' });
    expect(change).toEqual({ targetUrl: 'https://x/', note: null, digest: 'd' });
  }
});

it('finds headers that are there twice or have no name', () => {
  const typed = toRevisionDraft(action());
  expect(headerFault(typed)).toBeNull();
  expect(headerFault({ ...typed, headers: [...typed.headers, { name: 'content-type', value: '' }] })).toEqual({
    kind: 'twice',
    name: 'content-type',
  });
  expect(headerFault({ ...typed, headers: [{ name: ' ', value: 'x' }] })).toEqual({ kind: 'unnamed' });
});

it('keeps what was typed until it is sent', () => {
  const typed = { ...toRevisionDraft(action()), note: 'why' };
  keep(action(), typed);
  expect(keptDraft(action())).toEqual(typed);
  keep(action(), null);
  expect(keptDraft(action())).toEqual(toRevisionDraft(action()));
});
