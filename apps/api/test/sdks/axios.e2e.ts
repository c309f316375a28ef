import { once } from 'node:events';
import type { Readable } from 'node:stream';
import axios from 'axios';
import type { UpstreamAnswer } from '../support/fake-upstream.js';
import { BINARY, parseForm, sendJson, startSdkGateway, type SdkGateway } from '../support/sdk-gateway.js';

let sdk: SdkGateway;

const api: UpstreamAnswer = ({ method, path, body, headers }, response) => {
  if (path === '/v1/image') return void response.writeHead(200, { 'Content-Type': 'image/png' }).end(BINARY);
  if (path === '/v1/missing') return sendJson(response, { code: 'no_such_thing' }, 404);
  sendJson(response, { method, path, type: headers['content-type'], body: body.toString() });
};

beforeAll(async () => {
  sdk = await startSdkGateway({ name: 'Shop', path: '/v1', answer: api });
  await sdk.holds('/orders/*', ['DELETE']);
});
afterAll(() => sdk.close());

const client = (baseURL = sdk.base()) => axios.create({ baseURL, headers: { 'Agent-Key': sdk.agentKey } });

it('sends parameters, JSON and forms, and validates the status', async () => {
  const { data } = await client().get('/orders', { params: { ids: [1, 2], q: 'a b' } });
  expect(decodeURIComponent(data.path)).toBe('/v1/orders?ids[]=1&ids[]=2&q=a+b');
  const posted = await client().post('/orders', { name: 'Zoë' });
  expect(posted.data).toMatchObject({ type: 'application/json', body: '{"name":"Zoë"}' });
  const form = await client().post('/orders', new URLSearchParams({ name: 'Zoë' }));
  expect(form.data).toMatchObject({ type: expect.stringContaining('urlencoded'), body: 'name=Zo%C3%AB' });
  await expect(client().get('/missing')).rejects.toMatchObject({
    response: { status: 404, data: { code: 'no_such_thing' } },
  });
});

it('uploads a file in a form', async () => {
  const upload = new FormData();
  upload.append('title', 'Zoë');
  upload.append('file', new Blob([Uint8Array.from(BINARY)], { type: 'image/png' }), 'a.png');
  await client().post('/files', upload);
  const form = await parseForm(sdk.calls.at(-1)!);
  const file = form.get('file') as File;
  expect([form.get('title'), file.name, file.type]).toEqual(['Zoë', 'a.png', 'image/png']);
  expect(Buffer.from(await file.arrayBuffer()).equals(BINARY)).toBe(true);
});

it('downloads bytes, at once and as a stream', async () => {
  const whole = await client().get('/image', { responseType: 'arraybuffer' });
  expect(Buffer.from(whole.data).equals(BINARY)).toBe(true);
  const { data: stream } = await client().get<Readable>('/image', {
    responseType: 'stream',
    headers: { Prefer: 'stream' },
  });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(stream, 'end');
  expect(Buffer.concat(chunks).equals(BINARY)).toBe(true);
});

it('is held, approved, and executed once', async () => {
  const { refused, answer } = await sdk.heldThenApproved(
    (base) => client(base).delete('/orders/7'),
    ({ method }) => method === 'DELETE',
  );
  expect(refused).toMatchObject({
    isAxiosError: true,
    response: { status: 428, data: { action_id: expect.any(String), executed: false } },
  });
  expect([answer.status, answer.data.path]).toEqual([200, '/v1/orders/7']);
});

it('runs as the documentation shows', () => sdk.runsSnippets('axios'));
