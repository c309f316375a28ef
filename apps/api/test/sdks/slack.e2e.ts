import { LogLevel, WebClient } from '@slack/web-api';
import { createGatewayFetch } from '../../../../libs/client/src/index.js';
import type { UpstreamAnswer } from '../support/fake-upstream.js';
import { BINARY, parseForm, sendJson, startSdkGateway, type SdkGateway } from '../support/sdk-gateway.js';

/**
 * An upload has three steps: Slack names a URL on another host, the SDK sends the file there, and Slack shares the
 * file.
 */
const FILES = 'https://files.slack.com';
let sdk: SdkGateway;

const slack: UpstreamAnswer = (call, response) => {
  const { path, body } = call;
  if (path === '/files/upload/v1/abc') {
    return void parseForm(call).then((form) => response.end(`OK - ${(form.get('body') as File).size}`));
  }
  const form = Object.fromEntries(new URLSearchParams(body.toString()));
  if (path === '/api/files.getUploadURLExternal') {
    if (form.length !== String(BINARY.length)) return sendJson(response, { ok: false, error: 'invalid_arguments' });
    return sendJson(response, { ok: true, upload_url: `${FILES}/upload/v1/abc`, file_id: 'F1' });
  }
  if (path === '/api/files.completeUploadExternal') {
    return sendJson(response, { ok: true, files: JSON.parse(form.files) as unknown });
  }
  if (path === '/api/chat.postMessage')
    return sendJson(response, { ok: true, ts: '1.2', message: { text: form.text } });
  sendJson(response, { ok: false, error: 'unknown_method' });
};

beforeAll(async () => {
  sdk = await startSdkGateway({ name: 'Slack', path: '/api', answer: slack });
  await sdk.also('Slack files', '/files');
  await sdk.holds('/files.completeUploadExternal');
});
afterAll(() => sdk.close());

const client = (base = sdk.base()) =>
  new WebClient(sdk.agentKey, {
    slackApiUrl: base,
    // Otherwise the SDK would send the file, and the agent key, to Slack directly.
    fetch: (url, init) => fetch(String(url).replace(FILES, sdk.base(0, 'Slack files')), init),
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
  });

it('posts a message as a form', async () => {
  const { ok, message } = await client().chat.postMessage({ channel: 'C1', text: 'Grüße & <b>' });
  expect([ok, message?.text]).toEqual([true, 'Grüße & <b>']);
});

it('gets the errors of the API as its own errors', async () => {
  await expect(client().apiCall('no.such.method')).rejects.toMatchObject({ data: { error: 'unknown_method' } });
});

it('uploads a file byte for byte, and its last step is held, approved, and executed once', async () => {
  const { refused, answer } = await sdk.heldThenApproved(
    (base) => client(base).filesUploadV2({ channel_id: 'C1', filename: 'a.bin', title: 'A', file: BINARY }),
    ({ path }) => path === '/api/files.completeUploadExternal',
  );
  expect(refused).toMatchObject({
    statusCode: 428,
    body: expect.objectContaining({ message: 'Request requires human approval' }),
  });
  expect(answer.files).toMatchObject([{ ok: true, files: [{ id: 'F1', title: 'A' }] }]);
  const uploads = sdk.calls.filter(({ path }) => path === '/files/upload/v1/abc');
  expect(uploads).toHaveLength(2);
  for (const upload of uploads) {
    const file = (await parseForm(upload)).get('body') as File;
    expect(Buffer.from(await file.arrayBuffer()).equals(BINARY)).toBe(true);
  }
});

it('uploads a file through the client too', async () => {
  const { url } = sdk.gateway.upstream;
  const throughGateway = createGatewayFetch({
    gatewayUrl: sdk.gateway.url,
    agentKey: sdk.agentKey,
    intent: 'Share the report',
    onHeld: async ({ actionId }) => void (await sdk.gateway.approve(actionId)),
  });
  const client = new WebClient('none', {
    slackApiUrl: `${url}/api`,
    // In this test, one server stands for all of Slack's hosts.
    fetch: (target, init) => throughGateway(String(target).replace(FILES, `${url}/files`), init),
    retryConfig: { retries: 0 },
  });
  const { files } = await client.filesUploadV2({ channel_id: 'C1', filename: 'a.bin', title: 'A', file: BINARY });
  expect(files).toMatchObject([{ ok: true, files: [{ id: 'F1' }] }]);
  const upload = sdk.calls.findLast(({ path }) => path === '/files/upload/v1/abc')!;
  const file = (await parseForm(upload)).get('body') as File;
  expect(Buffer.from(await file.arrayBuffer()).equals(BINARY)).toBe(true);
});

it('runs as the documentation shows', () => sdk.runsSnippets('slack'));
