import type { Channel, ChannelDelivery, ChannelDeliveryPage, CreatedChannel } from '#contracts';
import { ChannelReminders } from '../../src/channels/channel-reminders.js';
import { ChannelSender } from '../../src/channels/channel-sender.js';
import { eventually } from './eventually.js';
import { startFakeUpstream, type FakeUpstream, type UpstreamCall } from './fake-upstream.js';
import { startGateway, type Gateway } from './gateway.js';
import { startMailServer, type MailServer } from './mail-server.js';

export const PUBLIC_URL = 'https://gateway.example.com';

/** A gateway with a mail server and a receiver of notifications. Each test begins without channels. */
export class ChannelGateway {
  gateway!: Gateway;
  receiver!: FakeUpstream;
  mail!: MailServer;
  private serial = 0;

  constructor(private readonly more: Record<string, string> = {}) {
    beforeAll(async () => {
      [this.receiver, this.mail] = await Promise.all([startFakeUpstream(), startMailServer()]);
      this.gateway = await startGateway(this.settings());
    });
    afterAll(async () => {
      await this.gateway?.close();
      await this.receiver?.close();
      await this.mail?.close();
    });
    beforeEach(async () => {
      for (const { id } of await this.gateway.admin<Channel[]>('GET /channels')) {
        await this.gateway.admin(`DELETE /channels/${id}`);
      }
      await this.gateway.app.settled();
      this.receiver.answer((_call, response) => response.writeHead(204).end());
      this.receiver.calls.length = 0;
      this.mail.mails.length = 0;
      this.mail.refuse(null);
    });
  }

  /** Another instance that sends to the same receivers. */
  second(): Promise<Gateway> {
    return this.gateway.secondInstance(this.settings());
  }

  private settings(): Record<string, string> {
    return {
      PRIVATE_CHANNEL_ALLOWLIST: this.receiver.hostAndPort,
      SMTP_URL: this.mail.url,
      MAIL_FROM: 'Agent Gateway <gateway@example.com>',
      PUBLIC_URL,
      ALLOW_REGISTRATION: 'true',
      ...this.more,
    };
  }

  /** A channel with a URL of its own on the receiver. */
  async create(type: string, fields: object = {}): Promise<CreatedChannel> {
    const target = type === 'email' ? {} : { target: `${this.receiver.url}/${type}-${++this.serial}?key=planted` };
    return this.gateway.admin<CreatedChannel>('POST /channels', { type, name: `My ${type}`, ...target, ...fields });
  }

  /** The calls that the receiver got for channels of this type. */
  calls(type: string): UpstreamCall[] {
    return this.receiver.calls.filter(({ path }) => path.startsWith(`/${type}-`));
  }

  received(type: string, count: number): Promise<UpstreamCall[]> {
    return eventually(() => this.calls(type).length >= count && this.calls(type));
  }

  mailed(count: number): Promise<MailServer['mails']> {
    return eventually(() => this.mail.mails.length >= count && this.mail.mails);
  }

  async deliveries({ id }: { id: number }): Promise<ChannelDelivery[]> {
    return (await this.gateway.admin<ChannelDeliveryPage>(`GET /channels/${id}/deliveries?limit=200`)).items;
  }

  /** Resolves when all deliveries match. */
  async settledAs(
    channel: { id: number },
    fits: (deliveries: ChannelDelivery[]) => boolean,
  ): Promise<ChannelDelivery[]> {
    return eventually(async () => {
      const found = await this.deliveries(channel);
      return fits(found) && found;
    });
  }

  async hold(score = 0.9): Promise<string> {
    const targetUrl = `${this.gateway.upstream.url}/v1/customers/${++this.serial}`;
    this.gateway.model.answer({ score, explanation: 'deletes a customer' });
    const answer = await this.gateway.proxy({ method: 'DELETE', targetUrl, intent: 'clean up' });
    if (answer.status !== 428) throw new Error(`not held: ${answer.status} ${answer.text}`);
    return answer.json<{ action_id: string }>().action_id;
  }

  /** Moves the clocks, and runs the scheduled jobs. */
  async advance(by: { seconds?: number; minutes?: number; hours?: number }): Promise<void> {
    await this.gateway.app.advance(by);
    await this.gateway.logInAgain();
    await this.gateway.app.app.get(ChannelReminders).run();
    this.look();
    await this.gateway.app.settled();
  }

  look(): void {
    this.gateway.app.app.get(ChannelSender).wake();
  }
}
