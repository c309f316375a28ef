import type { CreateAgentResponse, RiskRule, Service, ServiceDocument } from '#contracts';
import { call } from '../support/accounts.js';
import { apiRoutes, type ApiRoute } from '../support/api-routes.js';
import { dumpDatabase } from '../support/database-dump.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { createTwoUsers, type Belongings } from '../support/two-users.js';
import { headersFor, pathFor, validBody } from '../support/valid-requests.js';

let gateway: Gateway;
let routes: ApiRoute[];
let bob: Belongings;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  routes = await apiRoutes(gateway.app);
  ({ bob } = await createTwoUsers(gateway));
});
afterAll(() => gateway?.close());

describe('mass assignment', () => {
  const DATE = '2001-02-03T04:05:06.000Z';
  const HASH = 'f00df00d'.repeat(8);
  // Long enough not to appear by chance in stored hashes and ids.
  const MARKS = /f00df00d|424242424|2001-02-03/;
  const NUMBER = 424_242_424;
  const values = (userId: number): Record<string, unknown> => ({
    ...Object.fromEntries(
      ['id', 'uses', 'timesAsked', 'times_asked', 'epoch', 'expiresIn'].map((name) => [name, NUMBER]),
    ),
    ...Object.fromEntries(['keyHash', 'key_hash', 'passwordHash', 'password_hash'].map((name) => [name, HASH])),
    ...Object.fromEntries(
      [
        'createdAt',
        'updatedAt',
        'lastUsedAt',
        'created_at',
        'resolvedAt',
        'resolved_at',
        'approvalExpiresAt',
        'expiresAt',
      ].map((name) => [name, DATE]),
    ),
    userId,
    user_id: userId,
    user: { id: userId },
    owner: userId,
    resolvedBy: userId,
    keyPrefix: 'agt_f00df00d',
    apiKey: `agt_${HASH}`,
    isActive: false,
    isAdmin: true,
    role: 'f00df00d-admin',
    status: 'EXECUTED',
    email: 'f00df00d@example.com',
    encryptedValue: HASH,
    credentials: { token: 'f00df00d-credential' },
    prototype: { isAdmin: true },
  });

  it('sets no field that the endpoint does not accept', async () => {
    const adaId = gateway.agent.userId;
    const ownedByAda = async (): Promise<string> =>
      JSON.stringify(
        await gateway.app.database.query(
          `SELECT (SELECT count(*) FROM services WHERE workspace_id = $1), (SELECT count(*) FROM agents WHERE workspace_id = $1),
             (SELECT count(*) FROM actions WHERE workspace_id = $1), (SELECT count(*) FROM sessions WHERE user_id = $1)`,
          [adaId],
        ),
      );
    const before = await ownedByAda();
    gateway.model.answer({ score: 0 });
    // An import refuses unknown fields (configuration-refusals.e2e.ts). A link from Slack needs a token that Slack
    // shows.
    const writes = routes.filter(
      ({ fields, name }) =>
        fields !== null &&
        !/logout|refresh|password|oidc|accept|invitations\/open|admin|import|slack-links|POST .*passkeys/.test(name),
    );
    expect(writes.length).toBeGreaterThanOrEqual(19);
    for (const route of writes) {
      const extra = Object.fromEntries(Object.entries(values(adaId)).filter(([name]) => !route.fields!.includes(name)));
      const path = pathFor(route, () => bob);
      const body = { ...extra, ...validBody(gateway, route, bob) };
      const response = await fetch(gateway.url + path, {
        method: route.method,
        headers: { 'Content-Type': 'application/json', ...headersFor(route, bob) },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      // Denying an action that was just approved is a conflict; everything else succeeds.
      expect([route.name, response.status < 300 || response.status === 409, text]).toEqual([route.name, true, text]);
      expect([route.name, text.match(MARKS)]).toEqual([route.name, null]);
    }
    await gateway.app.settled();
    expect(await ownedByAda()).toBe(before);
    const stored = JSON.stringify(
      await dumpDatabase((sql) => gateway.app.database.query<Record<string, unknown>[]>(sql)),
    );
    expect(stored.match(MARKS)).toBeNull();
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    const agent = (await call<CreateAgentResponse['agent']>(gateway.app, `GET /agents/${bob.ids.agent}`, bob)).body;
    expect(agent).toMatchObject({ name: 'Renamed', isActive: true });
    const service = (await call<Service>(gateway.app, `GET /services/${bob.ids.service}`, bob)).body;
    expect(Object.keys(service.credentials)).toEqual(['token']);
    const rules = await call<RiskRule[]>(gateway.app, `GET /services/${bob.ids.service}/risk-rules`, bob);
    expect(rules.body.every(({ uses, isActive }) => uses === 0 && isActive)).toBe(true);
    const documents = await call<ServiceDocument[]>(gateway.app, `GET /services/${bob.ids.service}/documentation`, bob);
    expect(documents.body.map(({ title }) => title).sort()).toEqual(['New', 'Renamed']);
  });
});
