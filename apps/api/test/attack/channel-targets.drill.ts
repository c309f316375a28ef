import { readFileSync } from 'node:fs';
import { createServer, isIP, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import type { Channel, ChannelTestResult } from '#contracts';
import { EgressClient, type Resolver } from '#egress';
import { ChannelReceiver } from '../../src/channels/media/channel-receiver.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { PushSubscriber } from '../support/push-subscriber.js';

interface CorpusCase {
  name: string;
  targetUrl: string;
  resolves?: string[];
}

const corpus = JSON.parse(
  readFileSync(join(process.cwd(), 'libs/egress/test/egress-corpus.json'), 'utf8'),
) as CorpusCase[];
const PUBLIC = '93.184.216.34';

let gateway: Gateway;
/** Listens on every address of this machine. */
let stub: Server;
let port: number;
let connections = 0;
let answers: string[] = [];
const resolver: Resolver = () =>
  Promise.resolve(answers.map((address) => ({ address, family: isIP(address.split('%')[0]) })));

beforeAll(async () => {
  stub = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {}).end();
  });
  await new Promise<void>((resolve) => {
    stub.once('error', () => stub.listen(0, '0.0.0.0', resolve)).listen(0, '::', resolve);
  });
  ({ port } = stub.address() as AddressInfo);
  gateway = await startGateway({
    PRIVATE_CHANNEL_ALLOWLIST: `127.0.0.1:${port + 1}`,
    PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${port}`,
  });
  // The client is the real one; only the name server is replaced.
  const { egress } = gateway.app.app.get<{ egress: EgressClient }>(ChannelReceiver);
  expect(egress).toBeInstanceOf(EgressClient);
  Object.assign(egress, { resolver });
});
afterAll(async () => {
  await gateway?.close();
  await new Promise((resolve) => stub.close(resolve));
});
beforeEach(() => {
  connections = 0;
});

const ntfy = (target: string) => gateway.tryAdmin<Channel>('POST /channels', { type: 'ntfy', name: 'x', target });
const push = (endpoint: string) =>
  gateway.tryAdmin<Channel>('POST /channels', {
    type: 'webpush',
    name: 'x',
    subscription: new PushSubscriber(endpoint).subscription,
  });

it('accepts no target that leads to a private address, in any spelling, and connects to none', async () => {
  const taken: string[] = [];
  for (const { name, targetUrl, resolves } of corpus) {
    answers = resolves ?? ['10.0.0.1'];
    for (const target of [targetUrl, targetUrl.replace(/^http:/i, 'https:')])
      for (const create of [ntfy, push]) {
        const { status } = await create(target);
        if (![400, 403].includes(status)) taken.push(`${status} ${name}: ${target}`);
      }
  }
  expect(taken).toEqual([]);
  expect(await gateway.admin('GET /channels')).toEqual([]);
  expect(connections).toBe(0);
});

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', 'fd00::1', '0.0.0.0'])(
  'sends nothing when its name later resolves to %s, alone or with a public address',
  async (address) => {
    for (const create of [ntfy, push]) {
      answers = [PUBLIC];
      const { status, body } = await create(`https://rebinding.example.com:${port}/x`);
      expect(status).toBe(201);
      for (const later of [[address], [PUBLIC, address], [address, PUBLIC]]) {
        answers = later;
        const { message, delivery } = await gateway.admin<ChannelTestResult>(`POST /channels/${body.id}/test`);
        expect([delivery.state, message]).toEqual(['failed', expect.stringMatching(/^Not delivered: .*private/i)]);
      }
      await gateway.admin(`DELETE /channels/${body.id}`);
    }
    expect(connections).toBe(0);
  },
);

it('applies an exception of the operator to its host and port only, and no exceptions for services', async () => {
  answers = ['127.0.0.1'];
  for (const target of [
    `https://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}/`,
    `https://localhost:${port + 1}/`,
    `https://[::ffff:127.0.0.1]:${port}/`,
    `https://a:b@127.0.0.1:${port + 1}/`,
    'https://127.0.0.1/',
  ])
    for (const create of [ntfy, push]) expect([400, 403]).toContain((await create(target)).status);
  expect((await ntfy(`http://127.0.0.1:${port + 1}/`)).status).toBe(201);
});
