/** Requests below `/s/<name>` while the names and base URLs of services change. Both instances have seen the agent. */
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

let gateway: Gateway;
let other: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  other = await gateway.secondInstance();
});
afterAll(async () => {
  await other?.app.close();
  await gateway?.close();
});

interface Scene {
  ids: number[];
  ask: (instance: Gateway, name: string, method?: string) => Promise<ProxyAnswer>;
}

let scenes = 0;
/** Services `a` and `b`, whose tokens have their names. `b` allows everything. */
async function twoServices(): Promise<Scene> {
  const root = `${gateway.upstream.url}/scene${++scenes}`;
  const ids: number[] = [];
  for (const name of ['a', 'b']) {
    const service = await gateway.createService({
      name,
      baseUrl: `${root}/${name}`,
      credentials: { token: `of-${name}` },
    });
    ids.push(service.id);
  }
  const { apiKey } = await gateway.createAgent(`agent ${scenes}`, ids);
  await gateway.admin(`POST /services/${ids[1]}/risk-rules`, { name: 'All', effect: 'allow' });
  const ask: Scene['ask'] = (instance, name, method = 'GET') =>
    instance.agentCall(method, `/s/${name}/x`, undefined, { 'Agent-Key': apiKey });
  gateway.model.answer({ score: 0 });
  for (const instance of [gateway, other]) for (const name of ['a', 'b']) await ask(instance, name);
  gateway.upstream.calls.length = 0;
  return { ids, ask };
}

const sent = (): string[] =>
  gateway.upstream.calls.map(({ path, headers }) => `${path.replace(/^\/scene\d+/, '')} ${headers.authorization}`);

it('requests to the old name of a renamed service get 404 on every instance, from the next request on', async () => {
  const { ids, ask } = await twoServices();
  await gateway.admin(`PUT /services/${ids[0]}`, { name: 'retired' });
  for (const instance of [gateway, other]) expect((await ask(instance, 'a')).status).toBe(404);
  expect(sent()).toEqual([]);
});

it('requests go to the service that has the name now, also several at once', async () => {
  const { ids, ask } = await twoServices();
  await gateway.admin(`PUT /services/${ids[0]}`, { name: 'old' });
  await gateway.admin(`PUT /services/${ids[1]}`, { name: 'a' });
  const answers = await Promise.all([gateway, other].flatMap((instance) => [1, 2, 3].map(() => ask(instance, 'a'))));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(new Set(sent())).toEqual(new Set(['/b/x Bearer of-b']));
});

it('requests never go to another service that got the old base URL of the named service', async () => {
  const { ids, ask } = await twoServices();
  await gateway.admin(`POST /services/${ids[0]}/risk-rules`, { name: 'No', effect: 'deny', methods: ['DELETE'] });
  const root = `${gateway.upstream.url}/scene${scenes}`;
  await gateway.admin(`PUT /services/${ids[0]}`, { baseUrl: `${root}/c` });
  await gateway.admin(`PUT /services/${ids[1]}`, { baseUrl: `${root}/a` });
  for (const instance of [gateway, other]) {
    const denied = await ask(instance, 'a', 'DELETE');
    expect([denied.status, denied.headers.get('x-error-code')]).toEqual([403, 'rule_denied']);
    expect((await ask(instance, 'a')).status).toBe(200);
  }
  expect(new Set(sent())).toEqual(new Set(['/c/x Bearer of-a']));
});

it('requests go to the new base URL of the service, from the next request on', async () => {
  const { ids, ask } = await twoServices();
  await gateway.admin(`PUT /services/${ids[0]}`, { baseUrl: `${gateway.upstream.url}/scene${scenes}/moved` });
  for (const instance of [gateway, other]) expect((await ask(instance, 'a')).status).toBe(200);
  expect(new Set(sent())).toEqual(new Set(['/moved/x Bearer of-a']));
});

it('requests are refused if the service is renamed while the model assesses them', async () => {
  const { ids, ask } = await twoServices();
  let judge = (): void => {};
  const asked = new Promise<void>((resolve) => {
    gateway.model.answer(async () => {
      resolve();
      await new Promise<void>((ready) => (judge = ready));
      return { score: 0 };
    });
  });
  const answer = ask(gateway, 'a');
  await asked;
  await gateway.admin(`PUT /services/${ids[0]}`, { name: 'renamed meanwhile' });
  judge();
  expect((await answer).status).toBe(404);
  expect(sent()).toEqual([]);
  expect((await gateway.audit())[0]).toMatchObject({ outcome: 'refused', status: 404 });
});

it('requests are refused if two services have the name, and the refusal is recorded', async () => {
  const { ids, ask } = await twoServices();
  await gateway.admin(`PUT /services/${ids[1]}`, { name: 'a' });
  const refused = await ask(other, 'a');
  expect([refused.status, refused.json().error]).toEqual([400, expect.stringContaining('several of your services')]);
  expect((await gateway.audit())[0]).toMatchObject({ outcome: 'refused', status: 400 });
  expect(sent()).toEqual([]);
});
