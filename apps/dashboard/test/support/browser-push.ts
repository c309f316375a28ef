import type { BrowserContext } from 'playwright-core';
import type { PushService } from '../../../api/test/support/push-service.js';
import type { PushSubscriber } from '../../../api/test/support/push-subscriber.js';

type Permission = 'default' | 'granted' | 'denied';

export interface PushOptions {
  /** The permission that the browser already has. */
  permission?: Permission;
  /** The person's answer when the browser asks. */
  answer?: Permission;
}

/**
 * The subscription of a browser at a push service on loopback. Chromium without a screen knows no push service and
 * refuses the permission, so this replaces `PushManager` and the question. Keys, encryption and signatures are real.
 */
export class BrowserPush {
  current: PushSubscriber | null = null;
  /** How often the browser has asked the person. */
  asked = 0;
  private key = '';
  private made = 0;

  private constructor(
    private readonly service: PushService,
    private readonly name: string,
  ) {}

  static async of(
    context: BrowserContext,
    service: PushService,
    name: string,
    { permission = 'default', answer = 'granted' }: PushOptions = {},
  ): Promise<BrowserPush> {
    const push = new BrowserPush(service, name);
    await context.exposeFunction('pushApi', (call: 'get' | 'subscribe' | 'unsubscribe' | 'ask', key?: string) => {
      if (call === 'ask') push.asked += 1;
      if (call === 'subscribe') push.subscribe(key!);
      if (call === 'unsubscribe') push.current = null;
      return push.current && { ...push.current.subscription, key: push.key };
    });
    await context.addInitScript(API, { permission, answer });
    return push;
  }

  /** Makes the push service end the subscription, and gives the browser another one. */
  replace(): void {
    this.subscribe(this.key);
  }

  private subscribe(key: string): void {
    this.key = key;
    this.current = this.service.subscriber(`/send/${this.name}-${++this.made}`);
  }
}

/** Runs in the page, before its scripts. The permission outlives the page, as in a browser. */
function API({ permission, answer }: Required<PushOptions>): void {
  const page = globalThis as unknown as {
    pushApi: (call: string, key?: string) => Promise<{ endpoint: string; keys: object; key: string } | null>;
    localStorage: { getItem(key: string): string | null; setItem(key: string, value: string): void };
    PushManager: { prototype: object };
    Notification: object;
  };
  const { pushApi } = page;
  type Answer = Awaited<ReturnType<typeof pushApi>>;
  const bytes = (text: string) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0)).buffer;
  const wrapped = (found: Answer) =>
    found && {
      endpoint: found.endpoint,
      options: { applicationServerKey: bytes(found.key) },
      toJSON: () => ({ endpoint: found.endpoint, expirationTime: null, keys: found.keys }),
      unsubscribe: () => pushApi('unsubscribe').then(() => true),
    };
  Object.assign(page.PushManager.prototype, {
    getSubscription: async () => wrapped(await pushApi('get')),
    subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) =>
      wrapped(await pushApi('subscribe', btoa(String.fromCharCode(...applicationServerKey)))),
  });
  Object.defineProperty(page.Notification, 'permission', {
    get: () => page.localStorage.getItem('test-permission') ?? permission,
  });
  Object.assign(page.Notification, {
    requestPermission: async () => {
      await pushApi('ask');
      page.localStorage.setItem('test-permission', answer);
      return answer;
    },
  });
}
