/**
 * Registers the service worker, which makes the dashboard installable, shows a page when it is offline, and shows
 * notifications. Browsers have service workers on https and localhost only. Without one, the dashboard works as before.
 */
import { leaveDevice, renewDevice } from '../components/push/device.js';
import { onLive } from '../lib/live.js';
import { beforeLogOut, onSession, sessionState } from '../lib/session.js';

const BASE = import.meta.env.BASE_URL;

if ('serviceWorker' in navigator) {
  navigator.serviceWorker.addEventListener('message', hear);
  navigator.serviceWorker.startMessages();
  navigator.serviceWorker.register(`${BASE}service-worker.js`).catch(() => {});
  onLive((signal) => {
    if (signal.type !== 'event' || signal.event.type !== 'action.updated' || signal.event.status === 'PENDING') return;
    void closeNotifications(String(signal.event.id));
  });
  beforeLogOut(leaveDevice);
  onSession(renew);
  renew();
}

/** The browser may have created a new subscription while no tab was open. */
function renew(): void {
  // The page of the device shows the problem, and the next page load tries again.
  if (sessionState() === 'active') void renewDevice().catch(() => {});
}

function hear(event: MessageEvent<{ type: string; url: string }>): void {
  if (event.data.type === 'subscription') renew();
  else openFromNotification(event);
}

/** The action was decided, here or elsewhere. */
async function closeNotifications(tag: string): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  for (const shown of (await registration?.getNotifications({ tag })) ?? []) shown.close();
}

/** Somebody pressed a notification. Opening a page from the inbox loses no input: notes are kept. */
function openFromNotification({ data, ports }: MessageEvent<{ type: string; url: string }>): void {
  const takes = data.type === 'open' && location.pathname.startsWith(`${BASE}approvals`);
  ports[0]?.postMessage(takes);
  if (takes) location.assign(data.url);
}
