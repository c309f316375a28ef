/** Everything that is wrong with a request is told at once, whichever stage finds it. */
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const GOOD = { name: 'A', baseUrl: 'https://a.example', authType: 'bearer', credentials: { token: 'x' } };

it.each<[string, object, string[]]>([
  [
    'name and base URL',
    { name: '', baseUrl: 'nonsense' },
    ['name: must be longer than or equal to 1 characters', 'baseUrl: must be a valid http or https URL'],
  ],
  [
    'base URL and credentials',
    { baseUrl: 'https://a.example?q', credentials: { token: ' x', other: '' } },
    [
      'baseUrl: must not contain user information, a query or a fragment',
      'credentials.token: must not be empty, nor begin or end with a space',
      'credentials.other: must not be empty, nor begin or end with a space',
    ],
  ],
  [
    'all of it',
    { name: '', baseUrl: 'ftp://a.example', authType: 'nothing', credentials: {} },
    ['name: ', 'baseUrl: ', 'authType: ', 'At least one credential is required'],
  ],
])('a new service: %s', async (_what, fields, faults) => {
  const { status, body } = await gateway.tryAdmin('POST /services', { ...GOOD, ...fields });
  expect(status).toBe(400);
  const told = body.error.split('; ');
  expect(told).toHaveLength(faults.length);
  for (const fault of faults) expect(told).toContainEqual(expect.stringContaining(fault));
});

it('a changed service', async () => {
  const { status, body } = await gateway.tryAdmin(`PUT /services/${gateway.service.id}`, { name: '', baseUrl: 'x' });
  expect([status, body.error.split('; ').sort()]).toEqual([
    400,
    ['baseUrl: must be a valid http or https URL', 'name: must be longer than or equal to 1 characters'],
  ]);
});

it('a request of an agent', async () => {
  const answer = await gateway.proxy({
    targetUrl: 'nonsense',
    method: 'BREW',
    intent: '',
    headers: { 'bad name': 'x' },
  });
  expect([answer.status, answer.json<{ error: string }>().error.split('; ')]).toEqual([
    400,
    [
      'method: must be one of the following values: GET, POST, PUT, DELETE, PATCH, HEAD, OPTIONS',
      'intent: must be longer than or equal to 1 characters',
      'targetUrl: must be a valid URL',
      'headers: "bad name" is not a valid header name',
    ],
  ]);
  // One alone keeps its own name.
  const one = await gateway.proxy({ targetUrl: 'ftp://a.example' });
  expect([one.headers.get('x-error-code'), one.json().error]).toEqual([
    'scheme_not_allowed',
    'Only HTTP and HTTPS protocols are allowed',
  ]);
});

it('the replay of an error of the gateway has the type of the first answer', async () => {
  gateway.upstream.answer((_call, response) => response.socket?.destroy());
  const post = () => gateway.proxy({ method: 'POST', body: '{}', idempotencyKey: 'broken' });
  const [first, replay] = [await post(), await post()];
  expect([first.status, replay.status, replay.text]).toEqual([502, 502, first.text]);
  expect(replay.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(gateway.upstream.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
});
