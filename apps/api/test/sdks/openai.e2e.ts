import OpenAI, { toFile } from 'openai';
import type { UpstreamAnswer, UpstreamCall } from '../support/fake-upstream.js';
import { BINARY, parseForm, sendJson, startSdkGateway, type SdkGateway } from '../support/sdk-gateway.js';

let sdk: SdkGateway;

const api: UpstreamAnswer = (call, response) => {
  const { path, body } = call;
  if (path === '/v1/containers/c1/files') {
    return sendJson(response, { id: 'cfile-1', object: 'container.file', bytes: body.length });
  }
  if (path === '/v1/files') {
    const { length } = body;
    return sendJson(response, {
      id: 'file-1',
      object: 'file',
      bytes: length,
      filename: 'a.bin',
      purpose: 'assistants',
    });
  }
  const { stream, messages } = JSON.parse(body.toString()) as { stream: boolean; messages: { content: string }[] };
  if (!stream)
    return sendJson(response, { error: { message: 'ask for a stream', type: 'invalid_request_error' } }, 400);
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  for (const content of messages[0].content.split(/(?= )/)) {
    const chunk = { id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
};

beforeAll(async () => {
  sdk = await startSdkGateway({ name: 'OpenAI', path: '/v1', answer: api });
  await sdk.holds('/containers/**', ['POST']);
});
afterAll(() => sdk.close());

const openai = (baseURL = sdk.base()) => new OpenAI({ baseURL, apiKey: sdk.agentKey, maxRetries: 0 });
const ask = (content: string) => ({ model: 'gpt-5-mini', messages: [{ role: 'user' as const, content }] });

it('streams a chat', async () => {
  const words: string[] = [];
  for await (const { choices } of await openai().chat.completions.create({
    ...ask('Größe zählt nicht'),
    stream: true,
  })) {
    words.push(choices[0].delta.content ?? '');
  }
  expect(words).toEqual(['Größe', ' zählt', ' nicht']);
});

it('turns the errors of the API into its own error classes', async () => {
  const refused = openai().chat.completions.create(ask('Hello'));
  await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  await expect(refused).rejects.toThrow('ask for a stream');
});

it('uploads a file in a form', async () => {
  const file = await toFile(BINARY, 'a.bin', { type: 'application/octet-stream' });
  const uploaded = await openai().files.create({ file, purpose: 'assistants' });
  expect(uploaded.id).toBe('file-1');
  const form = await parseForm(sdk.calls.at(-1)!);
  const received = form.get('file') as File;
  expect([form.get('purpose'), received.name, received.type]).toEqual([
    'assistants',
    'a.bin',
    'application/octet-stream',
  ]);
  expect(Buffer.from(await received.arrayBuffer()).equals(BINARY)).toBe(true);
});

it('has an upload held, approved, and executed once, byte for byte', async () => {
  const isUpload = ({ path }: UpstreamCall): boolean => path === '/v1/containers/c1/files';
  const { refused, answer, executedBody } = await sdk.heldThenApproved(
    async (base) => openai(base).containers.files.create('c1', { file: await toFile(BINARY, 'a.bin') }),
    isUpload,
  );
  expect(refused).toBeInstanceOf(OpenAI.APIError);
  expect(refused).toMatchObject({ status: 428, message: expect.stringContaining('Request requires human approval') });
  expect(answer.id).toBe('cfile-1');
  expect(JSON.parse(executedBody)).toEqual(answer);
  for (const upload of sdk.calls.filter(isUpload)) {
    const file = (await parseForm(upload)).get('file') as File;
    expect(Buffer.from(await file.arrayBuffer()).equals(BINARY)).toBe(true);
  }
});

it('runs as the documentation shows', () => sdk.runsSnippets('openai'));
