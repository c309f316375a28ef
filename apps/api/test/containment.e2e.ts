/** The process survives a failure in any single stream, timer, listener or background task. */
import { SchedulerRegistry } from '@nestjs/schedule';
import { Client } from 'pg';
import { EventHub } from '../src/events/event-hub.js';
import { BackgroundWork } from '../src/platform/background.js';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { startChildGateway, type ChildGateway } from './support/child-gateway.js';
import { openEvents } from './support/event-stream.js';
import { eventually } from './support/eventually.js';
import { createService } from './support/resources.js';
import { startApp } from './support/start-app.js';

describe('the built gateway', () => {
  let gateway: ChildGateway | undefined;
  let database: Client | undefined;
  afterEach(async () => {
    await database?.end();
    await gateway?.stop();
  });

  async function start(): Promise<ChildGateway> {
    gateway = await startChildGateway({});
    database = new Client({ connectionString: gateway.databaseUrl });
    await database.connect();
    await register(gateway, 'ada@example.com');
    return gateway;
  }
  const alive = async (child: ChildGateway): Promise<void> => {
    expect((await fetch(`${child.url}/health`)).status).toBe(200);
  };

  it.each([
    ['"End all others"', 'DELETE /auth/sessions', undefined],
    ['"Change password"', 'POST /auth/password', { currentPassword: PASSWORD, newPassword: 'another correct horse' }],
  ])('survives %s with three streams of other sessions, and ends those streams', async (_name, route, body) => {
    const child = await start();
    const others = [];
    for (let n = 0; n < 3; n++) {
      others.push(await openEvents(child.url, (await login(child, 'ada@example.com')).accessToken));
    }
    const { accessToken: token } = await login(child, 'ada@example.com');
    const own = await openEvents(child.url, token);
    expect((await call(child, route, { token, body })).status).toBe(200);
    await Promise.all(others.map((stream) => stream.ended));
    await own.next(({ type }) => type === 'session.revoked');
    await alive(child);
    expect(child.output()).not.toContain('uncaught');
    own.close();
  });

  it('survives a notification that is not an event', async () => {
    const child = await start();
    const { accessToken: token } = await login(child, 'ada@example.com');
    const stream = await openEvents(child.url, token);
    for (const payload of ['', '{', 'null', '7', '{"userId":"nobody"}']) {
      await database!.query('SELECT pg_notify($1, $2)', ['agw_events', payload]);
    }
    const { id } = await createService(child, token, {});
    await stream.next((event) => event.id === id);
    await alive(child);
    await eventually(() => child.output().includes('a listener failed'));
    expect(child.output()).not.toContain('uncaught');
    stream.close();
  });
});

describe('within the process', () => {
  it('a failing stream does not keep events from the others', async () => {
    const app = await startApp();
    const user = await register(app, 'ada@example.com');
    const hub = app.app.get(EventHub);
    const fail = (): never => {
      throw new Error('this stream is broken');
    };
    hub.subscribe({ workspaceId: user.id, userId: user.id, onEvent: fail, onEnd: fail });
    const { accessToken: token } = await login(app, 'ada@example.com');
    const stream = await openEvents(app.url, token);
    const { id } = await createService(app, token, {});
    await stream.next((event) => event.id === id);
    await app.close();
    await stream.ended;
  });

  it('failing background tasks, and scheduled jobs without a database, are contained', async () => {
    const app = await startApp();
    const background = app.app.get(BackgroundWork);
    background.run('throws', () => {
      throw new Error('at once');
    });
    background.run('rejects', () => Promise.reject(new Error('later')));
    await background.drain();
    const jobs = [...app.app.get(SchedulerRegistry).getCronJobs().values()];
    await app.database.destroy();
    expect(jobs.length).toBeGreaterThan(5);
    await Promise.all(jobs.map((job) => job.fireOnTick()));
    await app.database.initialize();
    await app.close();
  });
});
