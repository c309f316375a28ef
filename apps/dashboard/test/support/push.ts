import type { CDPSession, Page, Worker } from 'playwright-core';
import { eventually } from '../../../api/test/support/eventually.js';

/** The visible parts of a notification. */
export interface Shown {
  title: string;
  body: string;
  tag: string;
  silent: boolean;
  actions: { action: string; title: string }[];
}

/**
 * The service worker of the dashboard in a browser, and the push service of that browser. Chromium without a screen has
 * no place for notifications and refuses the permission, so a list in the worker takes their place. Everything else is
 * real.
 */
export class PushBrowser {
  private constructor(
    readonly worker: Worker,
    private readonly session: CDPSession,
    private readonly origin: string,
    private readonly registrationId: string,
  ) {}

  /** @param page a page of the dashboard */
  static async of(page: Page): Promise<PushBrowser> {
    const context = page.context();
    const { origin } = new URL(page.url());
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
    const session = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const found = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin));
        if (found) resolve(found.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    const id = await registered;
    await eventually(() => Promise.resolve(context.serviceWorkers().length > 0));
    const [worker] = context.serviceWorkers();
    await worker.evaluate(SCREEN);
    return new PushBrowser(worker, session, origin, id);
  }

  /** Delivers the decrypted text of a message. */
  async deliver(message: object | string): Promise<void> {
    const data = typeof message === 'string' ? message : JSON.stringify(message);
    const { origin, registrationId } = this;
    await this.session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  }

  /** The notifications that are on the screen. */
  async shown(): Promise<Shown[]> {
    return JSON.parse(await this.worker.evaluate<string>('JSON.stringify([...screen.values()])')) as Shown[];
  }

  /** Waits until this many notifications are on the screen. */
  async shows(count: number): Promise<Shown[]> {
    await eventually(async () => (await this.shown()).length === count);
    return this.shown();
  }

  /** Presses a notification, or one of its buttons. */
  press(tag: string, action = ''): Promise<void> {
    const pressed = `{ notification: screen.get(${JSON.stringify(tag)}), action: ${JSON.stringify(action)}, waitUntil() {} }`;
    return this.worker.evaluate(`{ self.dispatchEvent(Object.assign(new Event('notificationclick'), ${pressed})); }`);
  }
}

const SCREEN = `{
  self.screen = new Map();
  registration.showNotification = async (title, options) => {
    screen.set(options.tag, { title, ...options, close: () => screen.delete(options.tag) });
  };
  registration.getNotifications = async ({ tag } = {}) =>
    [...screen.values()].filter((each) => tag === undefined || each.tag === tag);
}`;
