import type { GatewayStatus, ModelTest } from '#contracts';
import { login, register } from './support/accounts.js';
import type { FakeAnswer } from './support/fake-model.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
});
afterAll(() => gateway.close());
/** As the dashboard sends it. */
const test = () => gateway.admin<ModelTest>('POST /admin/model/test', {});

it('asks the model one real question, and sends nothing else', async () => {
  const { calls } = gateway.model;
  const [before, sent] = [calls.length, gateway.upstream.calls.length];
  gateway.model.answer({ score: 0.93, explanation: 'It deletes a customer.' });
  expect(await test()).toEqual({
    ok: true,
    ms: expect.any(Number),
    score: 0.93,
    explanation: 'It deletes a customer.',
    error: null,
  });
  expect(calls.length).toBe(before + 1);
  expect(JSON.stringify(calls.at(-1)!.body)).toContain('cus_42');
  expect(gateway.upstream.calls.length).toBe(sent);
  const { model } = await gateway.admin<GatewayStatus>('GET /admin/status');
  expect(model).toMatchObject({ calls: before + 1, failures: 0, lastSuccessAt: expect.any(String) });
});

it.each<[string, FakeAnswer]>([
  ['an answer that is no verdict', { content: 'I am fine, thank you.' }],
  ['an error of the server', { body: {}, status: 401 }],
])('says why there is no verdict: %s', async (_what, answer) => {
  gateway.model.answer(answer);
  expect(await test()).toEqual({
    ok: false,
    ms: expect.any(Number),
    score: null,
    explanation: null,
    error: expect.stringMatching(/./),
  });
});

it('asks once for all who test at the same time', async () => {
  const before = gateway.model.calls.length;
  let answer!: () => void;
  const asked = new Promise<void>((resolve) => (answer = resolve));
  gateway.model.answer(async () => {
    await asked;
    return { score: 0.8 };
  });
  const tests = [test(), test(), test()];
  await gateway.model.called(before + 1);
  answer();
  expect((await Promise.all(tests)).map(({ score }) => score)).toEqual([0.8, 0.8, 0.8]);
  expect(gateway.model.calls.length).toBeLessThan(before + 3);
});

it('is for administrators of the installation', async () => {
  await register(gateway.app, 'eve@example.com');
  const { accessToken } = await login(gateway.app, 'eve@example.com');
  expect((await gateway.tryAdmin('POST /admin/model/test', undefined, accessToken)).status).toBe(403);
});
