import type { Channel, ChannelDelivery } from '#contracts';
import { lastDeliveryWords, settingLines } from './words.js';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const MINUTES_AGO_3 = new Date(NOW - 180_000).toISOString();
const delivery = { state: 'delivered', lastAttemptAt: MINUTES_AGO_3, lastStatus: 204, lastError: null };
const channel = {
  decideBelowRisk: null,
  slackApp: null,
  minRisk: 0.6,
  effects: ['money', 'delete'],
  serviceIds: [1, 2],
  events: ['approval.requested', 'approval.reminder'],
  quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
  remindAfterMinutes: 15,
  escalateAfterMinutes: 120,
  escalateTo: 5,
  failingSince: null,
  previousSecretExpiresAt: new Date(NOW + 3_600_000).toISOString(),
} as Channel;

const words = (last: object | null, more: object = {}) =>
  lastDeliveryWords({ ...channel, ...more, lastDelivery: last && ({ ...delivery, ...last } as ChannelDelivery) }, NOW);

it('describes the outcome of the last notification', () => {
  expect(words(null)).toBe('Nothing sent yet');
  expect(words({})).toBe('Delivered 3 min ago');
  expect(words({ state: 'pending' })).toBe('Sending now');
  const failing = { failingSince: MINUTES_AGO_3 };
  expect(words({ state: 'pending', lastError: 'answered 500' }, failing)).toMatch(/^Failing since .*: answered 500$/);
  expect(words({ state: 'failed', lastStatus: 410 }, failing)).toMatch(/: the receiver answered 410$/);
});

it('describes the settings of a channel, with names for ids, also for deleted resources', () => {
  expect(settingLines(channel, new Map([[1, 'Shop']]), new Map([[5, 'Duty phone']]), NOW)).toEqual([
    'Risk 0.60 or higher (high) · Shop, a deleted service',
    'Whatever the risk, in quiet hours too: Deletes, Money',
    'Reminds after 15 minutes',
    'Quiet from 22:00 to 07:00 (Europe/Berlin), unless the risk is critical',
    'Also notifies “Duty phone” if nobody decides within 2 hours',
    'Also signed with the previous secret for another 1 hr',
  ]);
  const plain = {
    ...channel,
    minRisk: 0,
    effects: [],
    serviceIds: [],
    quietHours: null,
    remindAfterMinutes: null,
    escalateTo: null,
    previousSecretExpiresAt: null,
  };
  expect(settingLines(plain, new Map(), new Map(), NOW)).toEqual([
    'All risks · all services',
    'Reminds when 20% of the time is left',
  ]);
});
