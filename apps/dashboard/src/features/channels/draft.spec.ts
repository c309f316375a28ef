import type { Channel } from '#contracts';
import { findFaults, newDraft, toChannelDraft, toChannelSettings } from './draft.js';

const channel = {
  id: 1,
  type: 'slack',
  slackApp: null,
  name: 'Ops',
  minRisk: 0.6,
  effects: ['delete', 'money'],
  serviceIds: [3, 4],
  events: ['approval.requested'],
  quietHours: { from: '23:00', to: '06:30', timeZone: 'Asia/Tokyo' },
  remindAfterMinutes: 15,
  escalateAfterMinutes: 30,
  escalateTo: 2,
} as Channel;

it('a channel that was not changed is sent back unchanged', () => {
  const {
    minRisk,
    effects,
    serviceIds,
    events,
    quietHours,
    remindAfterMinutes,
    escalateAfterMinutes,
    escalateTo,
    name,
  } = channel;
  expect(toChannelSettings(toChannelDraft(channel, 'UTC'))).toEqual({
    name,
    minRisk,
    effects,
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
  expect(toChannelSettings({ ...draft, target: ' https://ntfy.sh/x ' })).toMatchObject({
    target: 'https://ntfy.sh/x',
    minRisk: 0,
    effects: [],
    quietHours: null,
    remindAfterMinutes: null,
    escalateTo: null,
  });
  expect(draft.events).not.toContain('approval.decided');
  expect(newDraft('slack', 'UTC').events).toContain('approval.decided');
  expect(findFaults(draft, true)).toEqual({ target: 'Enter a URL.' });
  expect(findFaults(draft, false)).toEqual({});
});

it('a channel that no longer escalates names no other channel', () => {
  expect(toChannelSettings({ ...toChannelDraft(channel, 'UTC'), escalateAfter: '' })).toMatchObject({
    escalateAfterMinutes: null,
    escalateTo: null,
  });
});

it('says which fields are wrong', () => {
  const draft = {
    ...toChannelDraft(channel, 'UTC'),
    name: ' ',
    events: [],
    from: '22:00',
    to: '22:00',
    escalateTo: '',
  };
  expect(Object.keys(findFaults(draft, false))).toEqual(['name', 'events', 'to', 'escalateTo']);
});

describe('a Slack app', () => {
  const app = { ...channel, slackApp: { requestUrl: null }, decideBelowRisk: 0.3 } as Channel;
  const fields = { botToken: ' xoxb-1 ', signingSecret: 'secret', slackChannel: 'C1' };

  it('sends what was entered, and keeps what was left empty', () => {
    expect(toChannelSettings(toChannelDraft(app, 'UTC'))).toMatchObject({ decideBelowRisk: 0.3 });
    expect(toChannelSettings(toChannelDraft(app, 'UTC'))).not.toHaveProperty('botToken');
    const draft = { ...toChannelDraft(app, 'UTC'), ...fields, target: 'https://old', decideBelow: '' };
    expect(toChannelSettings(draft)).toMatchObject({ ...fields, botToken: 'xoxb-1', decideBelowRisk: null });
    expect(toChannelSettings(draft)).not.toHaveProperty('target');
    expect(toChannelSettings({ ...draft, isApp: false })).toMatchObject({ target: 'https://old' });
    expect(toChannelSettings({ ...draft, isApp: false })).not.toHaveProperty('decideBelowRisk');
  });

  it('needs all three fields when it is new; a change needs all three or none', () => {
    const draft = toChannelDraft(app, 'UTC');
    expect(findFaults(draft, false)).toEqual({});
    expect(Object.keys(findFaults(draft, true))).toEqual(Object.keys(fields));
    expect(Object.keys(findFaults({ ...draft, botToken: 'x' }, false))).toEqual(['signingSecret', 'slackChannel']);
    expect(findFaults({ ...draft, ...fields }, true)).toEqual({});
  });
});
