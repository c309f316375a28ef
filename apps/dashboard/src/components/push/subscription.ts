import type { WebPushKey, WebPushSubscription } from '#contracts';
import { get } from '../../lib/http.js';

/** The subscription of this browser to push messages: the browser's side. */

const SCRIPT = `${import.meta.env.BASE_URL}service-worker.js`;

/** undefined: no service worker is there yet. */
export const registration = (): Promise<ServiceWorkerRegistration | undefined> =>
  'serviceWorker' in navigator ? navigator.serviceWorker.getRegistration(SCRIPT) : Promise.resolve(undefined);

export async function currentSubscription(): Promise<PushSubscription | null> {
  return (await (await registration())?.pushManager?.getSubscription()) ?? null;
}

/** For the gateway's key. Another key is that of another gateway, which was here before. The permission must be there. */
export async function subscribe(): Promise<PushSubscription> {
  const { publicKey } = await get<WebPushKey>('/channels/webpush/key');
  const { pushManager } = await active(await navigator.serviceWorker.register(SCRIPT));
  const present = await pushManager.getSubscription();
  const key = present?.options.applicationServerKey;
  if (present && key && textOf(key) === publicKey) return present;
  await present?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(publicKey) });
}

/**
 * Waits until the service worker can take messages. `serviceWorker.ready` never comes in a tab that was opened outside of its scope, such as
 * by a redirect from `/`.
 */
async function active(registered: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const worker = registered.installing ?? registered.waiting;
  if (registered.active || !worker) return registered;
  return new Promise((resolve) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated' || worker.state === 'redundant') resolve(registered);
    });
  });
}

/** As the gateway takes it. */
export function forGateway(subscription: PushSubscription): WebPushSubscription {
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint!, keys: { p256dh: keys!['p256dh']!, auth: keys!['auth']! } };
}

const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
