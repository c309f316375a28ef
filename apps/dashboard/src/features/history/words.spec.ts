import type { AuditRecord } from '#contracts';
import { formatChangeTarget, noteOf } from './words.js';

const stripe = { id: 1, name: 'Stripe' };
const record = (fields: object) =>
  ({
    actionId: null,
    service: null,
    agent: null,
    headline: null,
    method: null,
    url: null,
    details: null,
    ...fields,
  }) as AuditRecord;

describe('the target of a change', () => {
  it.each([
    ['a service', { service: stripe }, 'Stripe'],
    ['a service that the details name too', { service: stripe, details: { name: 'Stripe' } }, 'Stripe'],
    ['a rule of a service', { service: stripe, details: { rule: { name: 'No payouts' } } }, 'No payouts · Stripe'],
    ['a document of a service', { service: stripe, details: { title: 'OpenAPI' } }, 'OpenAPI · Stripe'],
    ['a channel', { details: { channel: 'Night desk', type: 'webhook' } }, 'Night desk'],
    ['an invitation', { details: { email: 'fay@example.com', role: 'approver' } }, 'fay@example.com'],
    ['a member', { details: { member: 'Bo', from: 'approver', to: 'admin' } }, 'Bo'],
    ['a token', { details: { name: 'CI', role: 'auditor' } }, 'CI'],
    ['an action', { actionId: 'a', service: stripe, headline: 'Refund €5.00' }, 'Refund €5.00 · Stripe'],
    ['nothing that has a name', { details: { refusedRequests: 2 } }, ''],
  ])('is %s', (_what, fields, words) => expect(formatChangeTarget(record(fields))).toBe(words));
});

describe('the note about a request', () => {
  it.each([
    ['of the record of a decision', { actionId: 'a', details: { note: 'Too much' } }, 'Too much'],
    ['of the record of a request', { actionId: 'a', decision: { note: 'Too much' } }, 'Too much'],
    ['of a decision without a note', { actionId: 'a', details: { note: null } }, null],
    ['of a change that has details of that name', { details: { note: 'A field' } }, null],
  ])('is that %s', (_what, fields, note) => expect(noteOf(record({ decision: null, ...fields }))).toBe(note));
});
