import type { WebPushKey, WebPushSubscription } from '#contracts';
import { get } from '../../lib/http.js';

/** The browser's side of its subscription to push messages. */

const SCRIPT = `${import.meta.env.BASE_URL}service-worker.js`;

/** undefined: there is no service worker yet. */
export const registration = (): Promise<ServiceWorkerRegistration | undefined> =>
  'serviceWorker' in navigator ? navigator.serviceWorker.getRegistration(SCRIPT) : Promise.resolve(undefined);

export async function currentSubscription(): Promise<PushSubscription | null> {
  return (await (await registration())?.pushManager?.getSubscription()) ?? null;
}

/**
 * Subscribes for the gateway's key. A subscription for another key is from another gateway that used this address
 * before. The person must have given the permission.
 */
export async function subscribe(): Promise<PushSubscription> {
  const { publicKey } = await get<WebPushKey>('/channels/webpush/key');
  const { pushManager } = await active(await navigator.serviceWorker.register(SCRIPT));
  const present = await pushManager.getSubscription();
  const key = present?.options.applicationServerKey;
  if (present && key && encodeBase64Url(key) === publicKey) return present;
  await present?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: decodeBase64Url(publicKey) });
}

/**
 * Waits until the service worker can get messages. `serviceWorker.ready` never resolves in a tab that was opened
 * outside of its scope, such as by a redirect from `/`.
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

/** Converts a subscription to the form that the gateway accepts. */
export function forGateway(subscription: PushSubscription): WebPushSubscription {
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint!, keys: { p256dh: keys!['p256dh']!, auth: keys!['auth']! } };
}

const encodeBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

const decodeBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
