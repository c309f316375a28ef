import { messages } from './messages.js';
import { powersBetween } from './powers.js';

const { approver, admin, owner } = messages.powers;

it('lists what a higher role adds', () => {
  expect(powersBetween('auditor', 'admin')).toEqual({ gains: [...approver, ...admin], loses: [] });
});

it('lists what a lower role takes away', () => {
  expect(powersBetween('owner', 'approver')).toEqual({ gains: [], loses: [...admin, ...owner] });
});

it('lists nothing for the same role', () => {
  expect(powersBetween('admin', 'admin')).toEqual({ gains: [], loses: [] });
});
