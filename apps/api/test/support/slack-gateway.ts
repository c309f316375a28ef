import type { Action, Channel, CreatedChannel, SlackLink } from '#contracts';
import { login, PASSWORD, register, type Answer } from './accounts.js';
import { startGateway, type Gateway } from './gateway.js';
import { ANA, callHook, encodeForm, pressed, submitted, type HookAnswer, type SlackUser } from './slack-hook.js';
import { BOT_TOKEN, SIGNING_SECRET, Slack, SLACK_CHANNEL } from './slack.js';

export const PUBLIC_URL = 'https://gateway.example.com';
export const BOT = { botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET, slackChannel: SLACK_CHANNEL };

/** The token in a link that Slack shows to one person. */
export const tokenIn = (message: { blocks: unknown[] }): string =>
  /#slack=([0-9a-f]{64})\|/.exec(JSON.stringify(message.blocks))![1];

/** A gateway and a Slack that calls it. Each test begins with one channel, with buttons, and nobody linked. */
export class SlackGateway {
  slack!: Slack;
  gateway!: Gateway;
  channel!: CreatedChannel;
  serial = 0;

  constructor(settings: Record<string, string> = {}) {
    beforeAll(async () => {
      this.slack = await Slack.start();
      const { hostAndPort: PRIVATE_CHANNEL_ALLOWLIST } = this.slack;
      this.gateway = await startGateway({
        PRIVATE_CHANNEL_ALLOWLIST,
        PUBLIC_URL,
        ALLOW_REGISTRATION: 'true',
        ...settings,
      });
      this.slack.serve(this.gateway.app);
    });
    afterAll(async () => {
      await this.gateway?.close();
      await this.slack?.close();
    });
    beforeEach(async () => {
      await this.gateway.logInAgain();
      await this.setUp();
    });
  }

  async setUp(fields: object = { decideBelowRisk: 0.95 }): Promise<void> {
    for (const { id } of await this.gateway.admin<Channel[]>('GET /channels')) {
      await this.gateway.admin(`DELETE /channels/${id}`);
    }
    const body = { type: 'slack', name: 'On call', ...BOT, ...fields };
    this.channel = await this.gateway.admin<CreatedChannel>('POST /channels', body);
    await this.gateway.app.settled();
    this.slack.reset();
  }

  /** Holds a request, and waits for its message in Slack. */
  async held(): Promise<string> {
    const targetUrl = `${this.gateway.upstream.url}/v1/customers/${++this.serial}`;
    const { action_id: id } = await this.gateway.hold({ targetUrl });
    const shows = () => this.slack.messages.some(({ blocks }) => JSON.stringify(blocks).includes(id));
    await this.slack.message(shows);
    return id;
  }

  /** Calls the gateway as Slack does. */
  hook(payload: unknown, options: Parameters<typeof callHook>[3] = {}): Promise<HookAnswer> {
    return callHook(this.gateway.app, this.channel.id, encodeForm(payload), options);
  }

  /** Confirms the session, as the dashboard does when it is asked to. */
  confirm(token = this.gateway.token): Promise<Answer<unknown>> {
    return this.gateway.tryAdmin('POST /auth/confirm', { password: PASSWORD }, token);
  }

  /** Links the Slack user with the account. */
  async link(user: SlackUser = ANA, token = this.gateway.token): Promise<SlackLink> {
    await this.hook(pressed('approve', await this.held(), user));
    const secret = tokenIn(this.slack.ephemeral.at(-1)!);
    await this.confirm(token);
    const answer = await this.gateway.tryAdmin<SlackLink>('POST /slack-links', { token: secret }, token);
    expect(answer.status).toBe(201);
    this.slack.ephemeral.length = 0;
    return answer.body;
  }

  /** Presses a button, and submits the form that opens. */
  async decide(choice: 'approve' | 'deny', id: string, note: string | null = null): Promise<HookAnswer> {
    expect((await this.hook(pressed(choice, id))).status).toBe(200);
    return this.hook(submitted(this.slack.views.at(-1)!, note));
  }

  async readStatus(id: string): Promise<string> {
    return (await this.gateway.admin<Action>(`GET /approvals/${id}`)).status;
  }

  /** A new member of the workspace. */
  async member(role: string): Promise<{ token: string; id: number }> {
    const email = `${role}-${Math.random().toString(36).slice(2)}@example.com`;
    const { id } = await register(this.gateway.app, email, { name: role });
    await this.gateway.app.database.query(
      `INSERT INTO workspace_members (workspace_id, user_id, role, joined_at) VALUES ($1, $2, $3, '2000-01-01')`,
      [this.gateway.agent.userId, id, role],
    );
    return { id, token: (await login(this.gateway.app, email)).accessToken };
  }
}
