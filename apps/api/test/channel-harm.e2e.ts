import type { ServerResponse } from 'node:http';
import type { Channel, CreatedChannel } from '#contracts';
import { ChannelGateway } from './support/channel-gateway.js';
import { eventually } from './support/eventually.js';
import { startFakeUpstream, type FakeUpstream, type UpstreamCall } from './support/fake-upstream.js';

/** More than one instance sends at the same time. */
const HANGING = 30;
const ROUNDS = 11;
/** A receiver that hangs takes 10 seconds, which is far more than this. */
const RATIO = 10;
const ASKED = { events: ['approval.requested'] };

const reach = new ChannelGateway();
/** A gateway without such receivers. A busy machine slows both. */
const calm = new ChannelGateway();
let inside: FakeUpstream;
beforeAll(async () => (inside = await startFakeUpstream()));
afterAll(() => inside?.close());

const at = (path: string, fields: object = {}): Promise<CreatedChannel> =>
  reach.create('webhook', { ...ASKED, name: path, target: `${reach.receiver.url}/${path}`, ...fields });
const readActionId = ({ body }: UpstreamCall): string =>
  (JSON.parse(body.toString()) as { data: { actionId: string } }).data.actionId;

/** The time from a request to its notification. */
async function notifiedMs(of: ChannelGateway): Promise<number> {
  const startMs = performance.now();
  const id = await of.hold();
  await eventually(() => of.receiver.calls.some((call) => call.path === '/fine' && readActionId(call) === id));
  return performance.now() - startMs;
}

const median = (all: number[]): number => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

/** A channel from a time when the operator allowed its private address. */
async function formerlyAllowed(): Promise<Channel> {
  const allowed = `${reach.receiver.hostAndPort},${inside.hostAndPort}`;
  const second = await reach.gateway.secondInstance({ PRIVATE_CHANNEL_ALLOWLIST: allowed });
  try {
    const body = { type: 'webhook', name: 'inside', target: `${inside.url}/metadata`, ...ASKED };
    return await second.admin<CreatedChannel>('POST /channels', body);
  } finally {
    await second.app.close();
  }
}

it('receivers that hang, fail, redirect, answer 410 or 429, or have private addresses do not delay others', async () => {
  await at('fine');
  await calm.create('webhook', { ...ASKED, target: `${calm.receiver.url}/fine` });
  const hanging = new Set<ServerResponse>();
  const answers: Record<string, (response: ServerResponse) => void> = {
    hangs: (response) => void hanging.add(response),
    fails: (response) => response.writeHead(500).end(),
    gone: (response) => response.writeHead(410).end(),
    busy: (response) => response.writeHead(429, { 'Retry-After': '900' }).end(),
    moved: (response) => response.writeHead(307, { Location: `${inside.url}/moved` }).end(),
    fine: (response) => response.writeHead(204).end(),
  };
  reach.receiver.answer(({ path }, response) => answers[path.split(/[/-]/)[1]](response));
  for (let count = 0; count < HANGING; count++) await at(`hangs-${count}`);
  const [failing, gone, busy, moved] = await Promise.all(['fails', 'gone', 'busy', 'moved'].map((path) => at(path)));
  const forbidden = await formerlyAllowed();
  const [alone, among]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await notifiedMs(calm));
    among.push(await notifiedMs(reach));
  }

  const waitForError = (channel: Channel) =>
    eventually(async () => (await reach.deliveries(channel)).find(({ lastError }) => lastError !== null)?.lastError);
  expect(await Promise.all([failing, gone, busy, moved, forbidden].map(waitForError))).toEqual([
    'answered 500',
    expect.stringContaining('410'),
    'answered 429',
    'answered 307: redirects are not followed',
    'Access to private IP ranges is forbidden',
  ]);
  expect((await reach.gateway.admin<Channel>(`GET /channels/${gone.id}`)).isActive).toBe(false);
  expect(inside.connections).toBe(0);
  expect(median(among) / median(alone)).toBeLessThan(RATIO);
  for (const response of hanging) response.destroy();
});
