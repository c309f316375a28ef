/** One response lists everything that is wrong with a request, whichever stage finds it. */
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const NAME_FAULT = 'name: must be longer than or equal to 1 characters';

async function expectFaults(route: string, request: object, faults: string[]): Promise<void> {
  const { status, body } = await gateway.tryAdmin(route, request);
  expect([status, body.error]).toEqual([400, expect.any(String)]);
  // Some texts contain a semicolon.
  const told = body.error.split(/; (?=[\w.]+: |At least )/);
  expect(told).toHaveLength(faults.length);
  for (const fault of faults) expect(told).toContainEqual(expect.stringContaining(fault));
}

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
    'every field',
    { name: '', baseUrl: 'ftp://a.example', authType: 'nothing', credentials: {} },
    ['name: ', 'baseUrl: ', 'authType: ', 'At least one credential is required'],
  ],
])('the error for a new service lists all faults: %s', async (_what, fields, faults) => {
  await expectFaults('POST /services', { ...GOOD, ...fields }, faults);
});

it('a changed service', async () => {
  const { status, body } = await gateway.tryAdmin(`PUT /services/${gateway.service.id}`, { name: '', baseUrl: 'x' });
  expect([status, body.error.split('; ').sort()]).toEqual([
    400,
    ['baseUrl: must be a valid http or https URL', 'name: must be longer than or equal to 1 characters'],
  ]);
});

const NINE = '/*'.repeat(9);
const RULE_FAULTS = [
  'effect: must be one of the following values: deny, limit, require_approval, allow, guidance',
  'pathPattern: must start with / and describe the path below the base URL',
  'pathPattern: must not contain ?, #, { or }; use * for a variable segment',
];

it.each<[string, object, string[]]>([
  ['name, effect and path', { name: '', effect: 'x', pathPattern: 'a?b' }, [NAME_FAULT, ...RULE_FAULTS]],
  [
    'wildcards, instruction and end',
    { name: '', effect: 'guidance', pathPattern: `x${NINE}?`, expiresAt: '2020-01-01T00:00:00Z' },
    [
      NAME_FAULT,
      ...RULE_FAULTS.slice(1),
      'pathPattern: must have at most 8 wildcards (* or **); this one has 9',
      'instruction: is required for the effect guidance',
      'expiresAt: must be a date and time in the future',
    ],
  ],
  [
    'a wrong type is reported once',
    { name: 1, effect: 'guidance', pathPattern: 1, instruction: 1, expiresAt: 1 },
    ['name: ', 'pathPattern: ', 'instruction: ', 'expiresAt: '],
  ],
])('a new risk rule: %s', async (_what, fields, faults) => {
  for (const path of ['risk-rules', 'risk-rules/preview']) {
    await expectFaults(
      `POST /services/${gateway.service.id}/${path}`,
      { name: 'R', effect: 'deny', ...fields },
      faults,
    );
  }
});

it('a changed risk rule', async () => {
  const path = `/services/${gateway.service.id}/risk-rules`;
  const rule = await gateway.admin<{ id: number }>(`POST ${path}`, { name: 'R', effect: 'deny', isActive: false });
  const put = `PUT ${path}/${rule.id}`;
  await expectFaults(put, { name: '', effect: 'x', pathPattern: 'a?b' }, [NAME_FAULT, ...RULE_FAULTS]);
  await expectFaults(put, { name: '', effect: 'guidance', instruction: ' ' }, [
    NAME_FAULT,
    'instruction: is required for the effect guidance',
  ]);
  await expectFaults(
    put,
    { name: '', isActive: 1, effect: 'guidance', pathPattern: NINE, expiresAt: '2020-01-01T00:00:00Z' },
    [
      NAME_FAULT,
      'isActive: must be a boolean value',
      'pathPattern: must have at most 8 wildcards (* or **); this one has 9',
      'instruction: is required for the effect guidance',
      'expiresAt: must be a date and time in the future',
    ],
  );
  await expectFaults(put, { effect: 'guidance', pathPattern: NINE, expiresAt: '2020-01-01T00:00:00Z' }, [
    'pathPattern: must have at most 8 wildcards (* or **); this one has 9',
    'instruction: is required for the effect guidance',
    'expiresAt: must be a date and time in the future',
  ]);
});

it('the error for a changed agent lists all faults, also in its callback hosts', () =>
  expectFaults(
    `PUT /agents/${gateway.agent.id}`,
    { name: '', isActive: 1, callbackHosts: ['*.a', 'b.example', 'c/d'] },
    [
      'name: ',
      'isActive: must be a boolean value',
      'callbackHosts.0: must be a host or host:port',
      'callbackHosts.2: must be a host or host:port',
    ],
  ));

it.each([
  ['nonsense', 'url: must be a valid URL'],
  ['https://me@a.example', 'url: must not contain user information'],
  ['ftp://a.example', 'Only HTTP and HTTPS protocols are allowed'],
  ['http://a.example', 'url: must be an https URL'],
  ['', 'url: must be longer than or equal to 1 characters'],
])('the callback %j', async (url, fault) => {
  const faults = ['enabled: must be a boolean value', fault];
  const request = { url, enabled: 'yes' };
  const byOwner = await gateway.tryAdmin(`PUT /agents/${gateway.agent.id}/callback`, request);
  const json = { 'Content-Type': 'application/json' };
  const byAgent = await gateway.agentCall('PUT', '/agent/callback', JSON.stringify(request), json);
  for (const [status, { error }] of [
    [byOwner.status, byOwner.body],
    [byAgent.status, byAgent.json<{ error: string }>()],
  ] as const) {
    expect([status, error.split('; ').sort()]).toEqual([400, faults.sort()]);
  }
});

it('the error for a request of an agent lists all faults', async () => {
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
  // A single fault keeps its own error name.
  const one = await gateway.proxy({ targetUrl: 'ftp://a.example' });
  expect([one.headers.get('x-error-code'), one.json().error]).toEqual([
    'scheme_not_allowed',
    'Only HTTP and HTTPS protocols are allowed',
  ]);
});

it('the replay of a gateway error has the content type of the first response', async () => {
  gateway.upstream.answer((_call, response) => response.socket?.destroy());
  const post = () => gateway.proxy({ method: 'POST', body: '{}', idempotencyKey: 'broken' });
  const [first, replay] = [await post(), await post()];
  expect([first.status, replay.status, replay.text]).toEqual([502, 502, first.text]);
  expect(replay.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(gateway.upstream.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
});
