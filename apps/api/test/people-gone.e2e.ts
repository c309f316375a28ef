import type { Agent, CreateAgentResponse, Service, TestServiceResult, Workspace } from '#contracts';
import { call } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { createService, signUp } from './support/resources.js';
import { team } from './support/team.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true', PRIVATE_TARGET_ACCESS: 'admins' });
});
afterAll(() => gateway?.close());
beforeEach(() => {
  gateway.model.answer({ score: 0 });
});

it('services and agents stay when the account of the person who made them is deleted', async () => {
  const people = team(gateway);
  const bo = await people.join('bo', 'admin');
  const fields = {
    name: 'Of Bo',
    baseUrl: `${gateway.upstream.url}/bo`,
    authType: 'bearer',
    credentials: { token: 'planted' },
  };
  const { body: service } = await people.as<Service>('bo', 'POST /services', fields);
  const { body: made } = await people.as<CreateAgentResponse>('bo', 'POST /agents', {
    name: 'bot of Bo',
    serviceIds: [service.id],
  });
  expect([service.userId, made.agent.userId]).toEqual([bo, bo]);
  await gateway.app.database.query('DELETE FROM users WHERE id = $1', [bo]);

  const of = <T>(route: string) => gateway.admin<T>(route);
  expect(await of<Service>(`GET /services/${service.id}`)).toMatchObject({ name: 'Of Bo', userId: null });
  expect(await of<Agent>(`GET /agents/${made.agent.id}`)).toMatchObject({ name: 'bot of Bo', userId: null });
  const asked = await gateway.proxy({ targetUrl: `${service.baseUrl}/x` }, { 'Agent-Key': made.apiKey });
  expect(asked.status).toBe(200);
  // Nobody made this agent, so nobody is kept from approving.
  await gateway.admin(`PUT /workspaces/${people.workspaceId}`, { settings: { separationOfDuties: true } });
  gateway.model.answer({ score: 0.9 });
  const held = await gateway.proxy(
    { targetUrl: `${service.baseUrl}/x`, method: 'DELETE' },
    { 'Agent-Key': made.apiKey },
  );
  const { action_id: action } = held.json<{ action_id: string }>();
  expect((await gateway.tryAdmin(`PATCH /approvals/${action}/approve`, {})).status).toBe(200);
});

it('after every workspace was deleted, a new account gets no private targets until an administrator allows them', async () => {
  for (const { id } of await gateway.admin<Agent[]>('GET /agents')) await gateway.admin(`DELETE /agents/${id}`);
  for (const { id } of await gateway.admin<Service[]>('GET /services')) await gateway.admin(`DELETE /services/${id}`);
  for (const { id } of await gateway.admin<Workspace[]>('GET /workspaces')) {
    await gateway.admin(`DELETE /workspaces/${id}`);
  }
  await gateway.app.database.query('DELETE FROM workspaces');
  const token = await signUp(gateway.app, 'stranger@example.com');
  const { id } = await createService(gateway.app, token, { baseUrl: gateway.upstream.url });
  const test = () => call<TestServiceResult>(gateway.app, `POST /services/${id}/test`, { token, body: {} });
  const connections = gateway.upstream.connections;
  expect((await test()).body).toMatchObject({ status: null, reason: 'Access to private IP ranges is forbidden' });
  expect(gateway.upstream.connections).toBe(connections);

  const [{ id: workspaceId }] = (await call<Workspace[]>(gateway.app, 'GET /workspaces', { token })).body;
  await gateway.admin(`PUT /admin/workspaces/${workspaceId}`, { privateTargets: true });
  expect((await test()).body).toMatchObject({ status: 200 });
});
