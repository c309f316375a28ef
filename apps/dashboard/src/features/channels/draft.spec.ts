import type { Channel } from '#contracts';
import { draftOf, faultsOf, newDraft, settingsOf } from './draft.js';

const channel = {
  id: 1,
  type: 'slack',
  name: 'Ops',
  minRisk: 0.6,
  serviceIds: [3, 4],
  events: ['approval.requested'],
  quietHours: { from: '23:00', to: '06:30', timeZone: 'Asia/Tokyo' },
  remindAfterMinutes: 15,
  escalateAfterMinutes: 30,
  escalateTo: 2,
} as Channel;

it('a channel that was not changed is sent back as it was', () => {
  const { minRisk, serviceIds, events, quietHours, remindAfterMinutes, escalateAfterMinutes, escalateTo, name } =
    channel;
  expect(settingsOf(draftOf(channel, 'UTC'))).toEqual({
    name,
    minRisk,
    serviceIds,
    events,
    quietHours,
    remindAfterMinutes,
    escalateAfterMinutes,
    escalateTo,
  });
});

it('a new channel has the defaults of its type, and no fault but the missing URL', () => {
  const draft = newDraft('ntfy', 'Europe/Berlin');
  expect(settingsOf({ ...draft, target: ' https://ntfy.sh/x ' })).toMatchObject({
    target: 'https://ntfy.sh/x',
    minRisk: 0,
    quietHours: null,
    remindAfterMinutes: null,
    escalateTo: null,
  });
  expect(draft.events).not.toContain('approval.decided');
  expect(newDraft('slack', 'UTC').events).toContain('approval.decided');
  expect(faultsOf(draft, true)).toEqual({ target: 'Enter a URL.' });
  expect(faultsOf(draft, false)).toEqual({});
});

it('a channel that escalates no more names no other channel', () => {
  expect(settingsOf({ ...draftOf(channel, 'UTC'), escalateAfter: '' })).toMatchObject({
    escalateAfterMinutes: null,
    escalateTo: null,
  });
});

it('says which fields are wrong', () => {
  const draft = {
    ...draftOf(channel, 'UTC'),
    name: ' ',
    events: [],
    from: '22:00',
    to: '22:00',
    escalateTo: '',
  };
  expect(Object.keys(faultsOf(draft, false))).toEqual(['name', 'events', 'to', 'escalateTo']);
});
