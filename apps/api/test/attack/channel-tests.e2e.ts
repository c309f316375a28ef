import type { ChannelTestResult } from '#contracts';
import { CHANNEL_TESTS_PER_MINUTE_MAX } from '#contracts/limits';
import { ChannelGateway } from '../support/channel-gateway.js';

const reach = new ChannelGateway();

it('prevents floods of tests to a receiver, on any instance and at any speed', async () => {
  const { gateway } = reach;
  const second = await reach.second();
  try {
    const channel = await reach.create('ntfy');
    const asked = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? gateway : second));
    const answers = await Promise.all(asked.map((each) => each.tryAdmin(`POST /channels/${channel.id}/test`)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.length - refused.length).toBe(CHANNEL_TESTS_PER_MINUTE_MAX);
    expect(reach.calls('ntfy')).toHaveLength(CHANNEL_TESTS_PER_MINUTE_MAX);
    for (const { status, headers, body } of refused) {
      expect([status, body.error]).toEqual([429, 'A channel sends at most 5 tests a minute. Try again later.']);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
    }
    const other = await reach.create('ntfy');
    expect((await gateway.tryAdmin(`POST /channels/${other.id}/test`)).status).toBe(200);
    await reach.advance({ seconds: 61 });
    expect((await gateway.tryAdmin(`POST /channels/${channel.id}/test`)).status).toBe(200);
  } finally {
    await second.app.close();
  }
});

it('says that the channel is gone when somebody deletes it during its test', async () => {
  const channel = await reach.create('webhook');
  let release = (): void => undefined;
  reach.receiver.answer((_call, response) => {
    release = () => response.writeHead(204).end();
  });
  const test = reach.gateway.tryAdmin<ChannelTestResult & { error: string }>(`POST /channels/${channel.id}/test`);
  await reach.received('webhook', 1);
  await reach.gateway.admin(`DELETE /channels/${channel.id}`);
  release();
  const { status, body } = await test;
  expect([status, body.error]).toEqual([404, 'Channel not found']);
});
