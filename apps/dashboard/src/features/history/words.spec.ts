import type { AuditRecord } from '#contracts';
import { formatChangeTarget } from './words.js';

const stripe = { id: 1, name: 'Stripe' };
const record = (fields: object) =>
  ({
    actionId: null,
    service: null,
    agent: null,
    summary: null,
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
    ['an action', { actionId: 'a', service: stripe, summary: 'Create a refund' }, 'Create a refund · Stripe'],
    ['nothing that has a name', { details: { refusedRequests: 2 } }, ''],
  ])('is %s', (_what, fields, words) => expect(formatChangeTarget(record(fields))).toBe(words));
});
