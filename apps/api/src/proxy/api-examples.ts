import type {
  ApprovedStatus,
  DeniedStatus,
  DryRunResponse,
  ExecutedStatus,
  ExpiredStatus,
  HeldResponse,
  PendingStatus,
  ProxyRequestBody,
} from '#contracts';

/** One story for the OpenAPI document: an agent reads a customer, places an order, and asks to delete an account. */
const ACTION_ID = '0b9e4c0e-8f0e-4b8e-9d9b-0c4e8a1f6a57';
const CUSTOMER = 'https://api.example.com/v1/customers/42';

interface Example<T> {
  summary: string;
  value: T;
}

export const REQUESTS: Record<string, Example<ProxyRequestBody>> = {
  read: {
    summary: 'A read, which is sent immediately',
    value: {
      method: 'GET',
      targetUrl: CUSTOMER,
      headers: { Accept: 'application/json' },
      intent: 'Look up the customer who wrote in',
    },
  },
  write: {
    summary: 'A write, with a body as text and a key',
    value: {
      method: 'POST',
      targetUrl: 'https://api.example.com/v1/orders',
      body: '{"customer": 42}',
      intent: 'Order what the customer asked for',
      idempotencyKey: 'order-7-for-customer-42',
    },
  },
  erase: {
    summary: 'A deletion, which a human must approve',
    value: { method: 'DELETE', targetUrl: CUSTOMER, intent: 'The customer asked us to erase their account' },
  },
};

export const HELD: HeldResponse = {
  error: 'Request requires human approval',
  statusCode: 428,
  action_id: ACTION_ID,
  risk_score: 0.7,
  risk_explanation: 'Risk rule "Ask before DELETE" requires approval',
  status_url: `/status/${ACTION_ID}`,
  executed: false,
  expires_at: '2026-01-02T12:00:00.000Z',
  next:
    `Nothing was sent: GET /status/${ACTION_ID} every 8 seconds (or once with the header "Prefer: wait=60") until its status ` +
    `is APPROVED, then POST /proxy/execute/${ACTION_ID} exactly once; on DENIED or EXPIRED stop and tell your user, and do not ` +
    'try another way.',
};

const DRY_RUN: DryRunResponse = {
  decision: 'hold',
  executed: false,
  service: { id: 7, name: 'Shop' },
  summary: 'Delete a customer · 42',
  risk_score: 0.7,
  risk_explanation: 'Risk rule "Ask before DELETE" requires approval',
  risk_source: 'rule',
  risk_threshold: 0.5,
  rule: 'Ask before DELETE',
  effects: [
    { effect: 'delete', reason: 'the method is DELETE' },
    { effect: 'write', reason: 'the method is DELETE' },
  ],
  limits: [],
  would_send: { method: 'DELETE', url: CUSTOMER, headers: ['authorization'] },
  credential_headers: ['authorization'],
  next: 'Nothing was sent or queued: the same request without "Prefer: handling=dry-run" would wait for a human.',
};

export const ANSWERS: Record<string, Example<unknown>> = {
  forwarded: { summary: "The upstream's own answer", value: { id: 42, name: 'Alan Turing' } },
  dryRun: { summary: 'The result of a dry run', value: DRY_RUN },
};

type Status = PendingStatus | ApprovedStatus | DeniedStatus | ExpiredStatus | ExecutedStatus;

export const STATUSES: Record<string, Example<Status>> = {
  pending: {
    summary: 'Not decided yet',
    value: { status: 'PENDING', action_id: ACTION_ID, created_at: '2026-01-01T12:00:00.000Z' },
  },
  approved: {
    summary: 'Approved: execute it once',
    value: { status: 'APPROVED', action_id: ACTION_ID, execute_url: `/proxy/execute/${ACTION_ID}` },
  },
  denied: {
    summary: 'Stop, and tell your user',
    value: {
      status: 'DENIED',
      action_id: ACTION_ID,
      resolved_at: '2026-01-01T12:05:00.000Z',
      resolution_note: 'Ask them to confirm by mail first.',
    },
  },
  expired: { summary: 'Too late', value: { status: 'EXPIRED', action_id: ACTION_ID } },
  executed: {
    summary: 'Done',
    value: {
      status: 'EXECUTED',
      action_id: ACTION_ID,
      result: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"erased":42}' },
    },
  },
};
