import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the model answers each call from now on. */
export type FakeAnswer =
  | { score: number; explanation?: string }
  /** The assistant's message, word for word. */
  | { content: string }
  /** The whole response body: text unchanged, anything else as JSON. */
  | { body: unknown; status?: number; headers?: Record<string, string> }
  /** Never answers. */
  | 'hang'
  /** Sends headers immediately, then one byte every few milliseconds, without end. */
  | 'drip'
  /** Breaks the connection. */
  | 'reset'
  /** Sends without end, as fast as it can. */
  | 'flood';

export interface FakeModelCall {
  body: {
    model: string;
    messages: { role: string; content: string }[];
    temperature?: number;
    response_format?: unknown;
  };
  /** Path and query as received. */
  url: string;
  headers: IncomingMessage['headers'];
}

export interface FakeModel {
  /** For `LLM_BASE_URL`. */
  url: string;
  calls: FakeModelCall[];
  answer(next: FakeAnswer | ((call: FakeModelCall) => FakeAnswer | Promise<FakeAnswer>)): void;
  /** Resolves when this many calls have arrived in total. */
  called(times: number): Promise<void>;
  /** Sockets opened so far. */
  connections(): number;
  close(): Promise<void>;
}

/** A small real server that speaks chat completions on loopback. Initially it scores everything as harmless. */
export async function startFakeModel(): Promise<FakeModel> {
  const calls: FakeModelCall[] = [];
  const waiting: { times: number; resolve: () => void }[] = [];
  let next: (call: FakeModelCall) => FakeAnswer | Promise<FakeAnswer> = () => ({ score: 0 });
  let connections = 0;

  const server = createServer((request, response) => {
    void readBody(request).then(async (text) => {
      const { method, url = '', headers } = request;
      if (method !== 'POST' || !/^[^?]*\/chat\/completions(\?|$)/.test(url)) return send(response, 404, '{}');
      const call: FakeModelCall = { body: JSON.parse(text) as FakeModelCall['body'], url, headers };
      calls.push(call);
      for (const { times, resolve } of waiting) if (calls.length >= times) resolve();
      reply(await next(call), response);
    });
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    answer: (answer) => {
      next = typeof answer === 'function' ? answer : () => answer;
    },
    called: (times) =>
      new Promise((resolve) => {
        if (calls.length >= times) resolve();
        else waiting.push({ times, resolve });
      }),
    connections: () => connections,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** A chat completion with one finished choice. */
export const makeCompletion = (content: string): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'fake',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, refusal: null } }],
});

function reply(answer: FakeAnswer, response: ServerResponse): void {
  if (answer === 'hang') return;
  if (answer === 'reset') return void response.socket?.resetAndDestroy();
  if (answer === 'drip' || answer === 'flood') {
    const chunk = answer === 'drip' ? ' ' : ' '.repeat(256 * 1024);
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(chunk), 5);
    response.on('close', () => clearInterval(timer));
    return;
  }
  if ('body' in answer) {
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    return send(response, answer.status ?? 200, text, answer.headers);
  }
  const content =
    'content' in answer
      ? answer.content
      : JSON.stringify({ score: answer.score, explanation: answer.explanation ?? 'Looks as it says.' });
  send(response, 200, JSON.stringify(makeCompletion(content)));
}

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
