import type { Channel } from '#contracts';
import { ChannelReminders } from '../../src/channels/channel-reminders.js';
import { ChannelSender } from '../../src/channels/channel-sender.js';
import { BackgroundWork } from '../../src/platform/background.js';
import { ChannelGateway } from '../support/channel-gateway.js';
import type { Gateway } from '../support/gateway.js';
import { team } from '../support/team.js';

const WORKERS = 8;
const STEPS = 40;

const reach = new ChannelGateway();
/** Unexpected errors: of requests, and of background work on both instances. */
const faults: string[] = [];

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)];

function watchBackground({ app }: Gateway): void {
  const log = { error: ({ err, task }: { err: Error; task: string }) => faults.push(`${task}: ${err.stack}`) };
  Object.assign(app.app.get(BackgroundWork), { log });
}

it('two instances change, decide and send everything at once without an error, and deliver nothing twice', async () => {
  const { gateway } = reach;
  const instances = [gateway, await reach.second()];
  instances.forEach(watchBackground);
  const people = team(gateway);
  const bo = await people.join('bo', 'admin');
  const home = `/workspaces/${people.workspaceId}`;
  const actions: string[] = [];
  const taken: string[] = [];
  reach.receiver.answer(({ headers }, response) => {
    const status = pick([204, 204, 204, 204, 204, 500]);
    const id = headers['webhook-id'];
    if (status === 204 && typeof id === 'string') taken.push(id);
    response.writeHead(status).end();
  });

  const ask = async <T>(who: string, route: string, body?: object): Promise<T> => {
    const { status, body: answer } = await people.as<T>(who, route, body, pick(instances).app);
    if (status === 500) faults.push(`${route}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const withChannel = async (use: (id: number) => Promise<unknown>): Promise<void> => {
    const channel = pick(await ask<Channel[]>('ada', 'GET /channels')) as Channel | undefined;
    if (channel !== undefined) await use(channel.id);
  };
  const change = (body: object) => withChannel((id) => ask('ada', `PUT /channels/${id}`, body));
  const create = () => {
    const type = pick(['webhook', 'webhook', 'ntfy', 'teams', 'discord', 'slack']);
    const target = `${reach.receiver.url}/${type}`;
    return ask(pick(['ada', 'bo']), 'POST /channels', { type, name: 'x', target, remindAfterMinutes: 1 });
  };
  const hold = async () => {
    const targetUrl = `${gateway.upstream.url}/v1/customers/${Math.random()}`;
    const { status, text } = await pick(instances).proxy({ method: 'DELETE', targetUrl });
    if (status === 428) actions.push((JSON.parse(text) as { action_id: string }).action_id);
    if (status === 500) faults.push(`hold: ${text}`);
  };
  const decide = () =>
    ask(pick(['ada', 'bo']), `PATCH /approvals/${pick(actions)}/${pick(['approve', 'deny', 'withdraw'])}`, {});
  const steps = [
    ...[hold, hold, hold, decide, decide, create, create],
    () => withChannel((id) => ask('ada', `DELETE /channels/${id}`)),
    () => withChannel((id) => ask('ada', `POST /channels/${id}/test`)),
    () => withChannel((id) => ask('ada', `POST /channels/${id}/rotate-secret`)),
    () => withChannel((id) => change({ escalateTo: id, escalateAfterMinutes: 1 })),
    () => change({ isActive: Math.random() < 0.7 }),
    () => change({ minRisk: Math.random(), target: `${reach.receiver.url}/moved` }),
    () => ask('ada', `PUT ${home}/members/${bo}`, { role: pick(['auditor', 'approver', 'admin']) }),
    () => ask('ada', `PUT ${home}`, { settings: { separationOfDuties: Math.random() < 0.2 } }),
    async () => {
      await ask('ada', `POST ${home}/pause`, { reason: 'storm' });
      await ask('ada', `POST ${home}/resume`);
    },
    () => pick(instances).app.app.get(ChannelReminders).run(),
    async () => pick(instances).app.app.get(ChannelSender).wake(),
  ];
  gateway.model.answer({ score: 0.9, explanation: 'deletes a customer' });
  const work = async (): Promise<void> => {
    for (let step = 0; step < STEPS; step++) await pick(steps)();
  };
  await create();
  await hold();
  await Promise.all(Array.from({ length: WORKERS }, work));
  for (const { app } of instances) await app.settled();
  await instances[1].app.close();
  expect(faults).toEqual([]);
  expect(taken.length).toBeGreaterThan(10);
  expect(taken.filter((id, index) => taken.indexOf(id) !== index)).toEqual([]);
});
