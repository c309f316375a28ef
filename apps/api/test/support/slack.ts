import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SlackApi } from '../../src/channels/media/slack-api.js';
import { eventually } from './eventually.js';
import type { TestApp } from './start-app.js';

export const BOT_TOKEN = 'xoxb-1234567890-planted-bot-token';
export const SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
export const SLACK_CHANNEL = 'C0123456789';
export const TEAM = 'T0123456789';

interface Block {
  type: string;
  text?: { type: string; text: string };
  fields?: { type: string; text: string }[];
  elements?: { type: string; action_id: string; value?: string; url?: string; text: { text: string } }[];
}

export interface SlackMessage {
  channel: string;
  ts: string;
  text: string;
  blocks: Block[];
  /** How often the message was replaced. */
  updates: number;
  /** Only this user sees it. */
  user?: string;
}

export interface SlackView {
  trigger_id: string;
  view: {
    type: string;
    callback_id: string;
    private_metadata: string;
    title: { text: string };
    submit?: { text: string };
    blocks: Block[];
  };
}

type Args = Record<string, unknown>;

/**
 * The part of Slack's Web API that the gateway uses, on loopback: it checks tokens, channels and the shapes of
 * messages.
 */
export class Slack {
  readonly messages: SlackMessage[] = [];
  readonly ephemeral: SlackMessage[] = [];
  readonly views: SlackView[] = [];
  readonly calls: string[] = [];
  /** The answers to the next calls of these methods. */
  readonly faults = new Map<string, { error: string; status?: number; headers?: Record<string, string> }>();
  /** Calls of these methods are answered only after the promise. */
  readonly gates = new Map<string, Promise<void>>();
  private serial = 1;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly hostAndPort: string,
  ) {}

  static async start(): Promise<Slack> {
    const server = createServer((request, response) => void slack.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const slack = new Slack(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    return slack;
  }

  /** Makes a gateway call this Slack. Its `PRIVATE_CHANNEL_ALLOWLIST` must name it too. */
  serve({ app }: TestApp): void {
    app.get(SlackApi).url = `http://${this.hostAndPort}/api`;
  }

  reset(): void {
    for (const list of [this.messages, this.ephemeral, this.views, this.calls]) list.length = 0;
    this.faults.clear();
    this.gates.clear();
  }

  /** Waits until the text of a message matches. */
  message(fits: (text: string) => boolean): Promise<SlackMessage> {
    return eventually(() => this.messages.find((message) => fits(blockText(message.blocks))));
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = (request.url ?? '').replace('/api/', '');
    this.calls.push(method);
    await this.gates.get(method);
    const { error, status = 200, headers = {} } = this.faults.get(method) ?? { error: null };
    let body: object;
    try {
      if (error !== null) throw new SlackError(error);
      if (request.headers.authorization !== `Bearer ${BOT_TOKEN}`) throw new SlackError('invalid_auth');
      body = { ok: true, ...this.run(method, JSON.parse(Buffer.concat(chunks).toString()) as Args) };
    } catch (fault) {
      if (!(fault instanceof SlackError)) throw fault;
      body = { ok: false, error: fault.message };
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  private run(method: string, args: Args): object {
    switch (method) {
      case 'auth.test':
        return { team_id: TEAM, team: 'Acme', user_id: 'U0BOT' };
      case 'chat.postMessage': {
        const message = { ...this.parseMessage(args), ts: `1700000000.${String(this.serial++).padStart(6, '0')}` };
        this.messages.push(message);
        return { channel: message.channel, ts: message.ts };
      }
      case 'chat.update': {
        const message = this.messages.find(({ ts }) => ts === args.ts);
        if (message === undefined) throw new SlackError('message_not_found');
        Object.assign(message, this.parseMessage(args), { ts: message.ts, updates: message.updates + 1 });
        return {};
      }
      case 'chat.postEphemeral':
        this.ephemeral.push({ ...this.parseMessage(args), user: String(args.user) });
        return {};
      case 'views.open':
        this.views.push(parseView(args));
        return {};
      default:
        throw new SlackError('unknown_method');
    }
  }

  private parseMessage({ channel, text, blocks }: Args): SlackMessage {
    if (channel !== SLACK_CHANNEL) throw new SlackError('channel_not_found');
    if (typeof text !== 'string' || text === '') throw new SlackError('no_text');
    assertBlocks(blocks);
    return { channel, text, blocks, ts: '', updates: 0 };
  }
}

class SlackError extends Error {}

function parseView(args: Args): SlackView {
  const { trigger_id: trigger, view } = args as Partial<SlackView>;
  if (typeof trigger !== 'string' || trigger === '') throw new SlackError('invalid_trigger_id');
  if (view?.type !== 'modal' || view.title.text.length > 24) throw new SlackError('invalid_arguments');
  if (view.private_metadata.length > 3000) throw new SlackError('invalid_arguments');
  assertBlocks(view.blocks);
  return { trigger_id: trigger, view };
}

/** The limits of Block Kit that a message could exceed. */
function assertBlocks(blocks: unknown): asserts blocks is Block[] {
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > 50) throw new SlackError('invalid_blocks');
  for (const { type, text, fields = [], elements = [] } of blocks as Block[]) {
    const longest = type === 'header' ? 150 : 3000;
    const texts = [...(text === undefined ? [] : [text]), ...fields];
    if (texts.some((each) => each.text.length === 0 || each.text.length > longest))
      throw new SlackError('invalid_blocks');
    if (type === 'header' && text?.type !== 'plain_text') throw new SlackError('invalid_blocks');
    if (fields.length > 10 || fields.some((each) => each.text.length > 2000)) throw new SlackError('invalid_blocks');
    if (type === 'actions' && elements.length === 0) throw new SlackError('invalid_blocks');
  }
}

/** All text that a person reads in blocks. */
export const blockText = (blocks: Block[]): string =>
  blocks
    .flatMap(({ text, fields = [], elements = [] }) => [text, ...fields, ...elements.map((each) => each.text)])
    .flatMap((each) => (each === undefined ? [] : [each.text]))
    .join('\n')
    // People do not see the word joiners that keep programs from making links.
    .replaceAll('\u2060', '');

/** The headers with which Slack signs a request. */
export function slackSignature(body: string, nowMs: number, secret = SIGNING_SECRET): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': `v0=${signature}` };
}
