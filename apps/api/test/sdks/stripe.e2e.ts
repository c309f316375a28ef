import Stripe from 'stripe';
import type { UpstreamAnswer } from '../support/fake-upstream.js';
import { sendJson, startSdkGateway, type SdkGateway } from '../support/sdk-gateway.js';

/** Stripe's package has no setting for the path of its base URL, but it accepts a `fetch`. */
let sdk: SdkGateway;

const api: UpstreamAnswer = ({ method, path, headers, body }, response) => {
  const url = new URL(path, 'http://x');
  if (method === 'GET') {
    const isFirst = !url.searchParams.has('starting_after');
    const data = (isFirst ? ['cus_1', 'cus_2'] : ['cus_3']).map((id) => ({ id, object: 'customer' }));
    return sendJson(response, { object: 'list', url: '/v1/customers', has_more: isFirst, data });
  }
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') {
    return sendJson(response, { error: { type: 'invalid_request_error', message: 'not a form' } }, 400);
  }
  const form = Object.fromEntries(new URLSearchParams(body.toString()));
  const object = url.pathname.endsWith('refunds') ? 'refund' : 'customer';
  sendJson(response, { id: [object, headers['idempotency-key']].join('_'), object, form });
};

beforeAll(async () => {
  sdk = await startSdkGateway({ name: 'Stripe', path: '/v1', answer: api });
  await sdk.holds('/refunds', ['POST']);
});
afterAll(() => sdk.close());
beforeEach(() => {
  sdk.calls.length = 0;
});

const stripe = (base = `${sdk.gateway.url}/s/Stripe`) =>
  new Stripe(sdk.agentKey, {
    httpClient: Stripe.createFetchHttpClient(((url: string, init: RequestInit) =>
      fetch(url.replace('https://api.stripe.com/v1', base), init)) as typeof fetch),
    maxNetworkRetries: 0,
    telemetry: false,
  });

it('sends forms, nested ones too', async () => {
  const params = { name: 'Zoë & Co', metadata: { order: '7' }, preferred_locales: ['de', 'fr'] };
  const customer = (await stripe().customers.create(params)) as unknown as { form: object };
  expect(customer.form).toEqual({
    name: 'Zoë & Co',
    'metadata[order]': '7',
    'preferred_locales[0]': 'de',
    'preferred_locales[1]': 'fr',
  });
});

it('repeats an idempotency key, and the API is called once', async () => {
  const create = (name: string) => stripe().customers.create({ name }, { idempotencyKey: 'order-7' });
  const [first, again] = [await create('Ada'), await create('Ada')];
  expect([first.id, again.id]).toEqual(['customer_order-7', 'customer_order-7']);
  expect(sdk.calls).toHaveLength(1);
  await expect(create('Grace')).rejects.toMatchObject({
    statusCode: 422,
    message: 'Idempotency key was already used with a different request',
  });
  expect(sdk.calls).toHaveLength(1);
});

it('goes through all pages', async () => {
  const ids: string[] = [];
  for await (const { id } of stripe().customers.list({ limit: 2 })) ids.push(id);
  expect(ids).toEqual(['cus_1', 'cus_2', 'cus_3']);
});

it('is held, approved, and executed once', async () => {
  const { refused, answer } = await sdk.heldThenApproved(
    (base) => stripe(base).refunds.create({ charge: 'ch_1', amount: 500 }),
    ({ path }) => path === '/v1/refunds',
  );
  expect(refused).toMatchObject({ statusCode: 428, message: 'Request requires human approval' });
  expect(answer).toMatchObject({ object: 'refund', form: { charge: 'ch_1', amount: '500' } });
});

it('runs as the documentation shows', () => sdk.runsSnippets('stripe'));
