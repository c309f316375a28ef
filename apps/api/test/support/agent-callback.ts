import type { Callback, CallbackDelivery, CallbackDeliveryPage, CallbackEvent, SavedCallback } from '#contracts';
import { CallbackSender } from '../../src/callbacks/callback-sender.js';
import { eventually } from './eventually.js';
import { startFakeUpstream, type FakeUpstream, type UpstreamCall } from './fake-upstream.js';
import { startGateway, type Gateway } from './gateway.js';
import type { TestApp } from './start-app.js';
import { verified } from './webhooks.js';

/**
 * A gateway, a receiver and an agent with a callback to it. Each test gets a new callback without earlier deliveries.
 */
export class AgentCallback {
  gateway!: Gateway;
  receiver!: FakeUpstream;
  secret!: string;
  /** The receiver's path, a new one for each test: late deliveries of an earlier test do not count. */
  path = '';
  private serial = 0;

  constructor() {
    beforeAll(async () => {
      this.receiver = await startFakeUpstream();
      const settings = { CALLBACK_PRIVATE_HOSTS: this.receiver.hostAndPort, ALLOW_REGISTRATION: 'true' };
      this.gateway = await startGateway(settings);
    });
    afterAll(async () => {
      await this.receiver.close();
      await this.gateway.close();
    });
    beforeEach(async () => {
      this.receiver.answer((_call, response) => response.writeHead(204).end());
      await this.gateway.tryAdmin(`DELETE ${this.route}`);
      this.path = `/hook-${++this.serial}?token=receivers-own`;
      const body = { url: this.receiver.url + this.path };
      this.secret = (await this.gateway.admin<SavedCallback>(`PUT ${this.route}`, body)).secret!;
    });
  }

  get route(): string {
    return `/agents/${this.gateway.agent.id}/callback`;
  }

  /** The calls that the receiver got in this test. */
  get calls(): UpstreamCall[] {
    return this.receiver.calls.filter((call) => call.path === this.path);
  }

  received(count: number): Promise<UpstreamCall[]> {
    return eventually(() => this.calls.length >= count && this.calls);
  }

  /** @throws Error unless the call has a valid signature with the current time */
  open(call: UpstreamCall, secret = this.secret, nowMs = this.gateway.app.clock.nowMs()): Promise<CallbackEvent> {
    return verified(call, secret, nowMs);
  }

  async stored(): Promise<Callback> {
    return (await this.gateway.admin<{ callback: Callback }>(`GET ${this.route}`)).callback;
  }

  async deliveries(): Promise<CallbackDelivery[]> {
    return (await this.gateway.admin<CallbackDeliveryPage>(`GET ${this.route}/deliveries?limit=200`)).items;
  }

  /** The newest delivery, once it matches. */
  delivery(fits: (delivery: CallbackDelivery) => boolean): Promise<CallbackDelivery> {
    return this.eventually(async () => {
      const [newest] = await this.deliveries();
      return newest !== undefined && fits(newest) && newest;
    });
  }

  eventually<T>(probe: () => Promise<T | false> | T | false): Promise<T> {
    return eventually(probe);
  }

  async hold(): Promise<string> {
    const targetUrl = `${this.gateway.upstream.url}/v1/customers/${++this.serial}`;
    return (await this.gateway.hold({ targetUrl })).action_id;
  }

  sendTest(): Promise<CallbackDelivery> {
    return this.gateway.admin<CallbackDelivery>(`POST ${this.route}/test`);
  }

  /** Lets the sender look for due deliveries. */
  look(app: TestApp = this.gateway.app): void {
    app.app.get(CallbackSender).wake();
  }

  /** Moves the clock to the next attempt, and lets the sender look. */
  async nextAttempt(attempts: number): Promise<CallbackDelivery> {
    const { nextAttemptAt } = await this.delivery(({ lastError }) => lastError !== null);
    await this.gateway.app.advance({ ms: Date.parse(nextAttemptAt!) - this.gateway.app.clock.nowMs() + 1 });
    // The access token would expire after that many hours.
    await this.gateway.logInAgain();
    this.look();
    return this.delivery((each) => each.attempts === attempts && each.lastError !== null);
  }
}

export const webhookId = ({ headers }: UpstreamCall): string => String(headers['webhook-id']);
