import type { Channel, UserResponse, WebPushSubscription } from '#contracts';
import { WORKSPACE_ID_HEADER } from '#contracts/headers';
import { deviceName } from '#contracts/device-name';
import { exclusively } from '../../lib/exclusive.js';
import { failure, get, post, request } from '../../lib/http.js';
import { keepDevice, keptDevice, type KeptDevice } from './kept-device.js';
import { pushMessages } from './messages.js';
import { possibility } from './possibility.js';
import { currentSubscription, forGateway, registration, subscribe } from './subscription.js';

/** This browser as a channel of the person who is logged in. One tab at a time changes it. */

const alone = <T>(work: () => Promise<T>): Promise<T> => exclusively('agw-push', work);
const me = async (): Promise<number> => (await get<UserResponse>('/auth/me')).user.id;
const inWorkspace = (id: string) => ({ headers: { [WORKSPACE_ID_HEADER]: id } });

/** The channel of this browser in a workspace; null if it has none there. */
export async function channelHere(workspaceId: number): Promise<number | null> {
  const kept = keptDevice();
  if (kept === null || possibility() !== 'possible' || kept.userId !== (await me())) return null;
  return (await currentSubscription()) === null ? null : (kept.channels[workspaceId] ?? null);
}

/**
 * Asks the person for the permission, which browsers allow only after a press, subscribes, and adds the channel.
 * @param fresh whether the current subscription has ended, although the browser may not know it
 * @returns the id of the channel
 */
export async function turnOn(workspaceId: number, fresh: boolean): Promise<number> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') throw new Error(permission === 'denied' ? pushMessages.denied : pushMessages.noAnswer);
  return alone(async () => {
    const userId = await me();
    const before = keptDevice();
    const own = before?.userId === userId ? before : null;
    // Ends a subscription that belongs to nobody or to somebody else, because its messages must not reach this person.
    if (own === null || fresh) await (await currentSubscription())?.unsubscribe();
    const subscription = forGateway(await subscribe());
    const channels = own === null ? {} : await tellGateway(own, subscription);
    channels[workspaceId] ??= (
      await post<Channel>('/channels', {
        type: 'webpush',
        name: deviceName(navigator.userAgent) ?? pushMessages.someDevice,
        subscription,
      })
    ).id;
    keepDevice({ userId, endpoint: subscription.endpoint, channels });
    return channels[workspaceId];
  });
}

/** A channel was deleted. If it was the last one of this browser, the subscription ends. */
export function forgetChannel(id: number): Promise<void> {
  return alone(async () => {
    const kept = keptDevice();
    if (kept === null || !Object.values(kept.channels).includes(id)) return;
    const channels = Object.fromEntries(Object.entries(kept.channels).filter(([, each]) => each !== id));
    if (Object.keys(channels).length > 0) return keepDevice({ ...kept, channels });
    keepDevice(null);
    await (await currentSubscription())?.unsubscribe();
  });
}

/**
 * Runs before the person logs out. The next person must not see this person's notifications, even if the network fails.
 */
export function leaveDevice(): Promise<void> {
  return alone(async () => {
    await closeAll();
    const kept = keptDevice();
    if (kept === null) return;
    keepDevice(null);
    await (await currentSubscription())?.unsubscribe();
    await Promise.allSettled(
      Object.entries(kept.channels).map(([workspace, id]) =>
        request({ method: 'DELETE', path: `/channels/${id}`, ...inWorkspace(workspace) }),
      ),
    );
  });
}

/** Closes all notifications, because they may be for somebody else. */
async function closeAll(): Promise<void> {
  for (const shown of (await (await registration())?.getNotifications()) ?? []) shown.close();
}

/** Reports a new subscription of the browser to the gateway. Ends a subscription that belongs to another person. */
export function renewDevice(): Promise<void> {
  return alone(async () => {
    const kept = keptDevice();
    if (kept === null || possibility() !== 'possible' || Notification.permission !== 'granted') return;
    if (kept.userId !== (await me())) {
      keepDevice(null);
      await closeAll();
      await (await currentSubscription())?.unsubscribe();
      return;
    }
    const subscription = forGateway((await currentSubscription()) ?? (await subscribe()));
    if (subscription.endpoint === kept.endpoint) return;
    const channels = await tellGateway(kept, subscription);
    const isLeft = Object.keys(channels).length > 0;
    keepDevice(isLeft ? { ...kept, endpoint: subscription.endpoint, channels } : null);
  });
}

/** @returns the channels that still exist */
async function tellGateway(kept: KeptDevice, subscription: WebPushSubscription): Promise<KeptDevice['channels']> {
  const channels: KeptDevice['channels'] = {};
  for (const [workspace, id] of Object.entries(kept.channels)) {
    try {
      const { data } = await request<Channel>({ path: `/channels/${id}`, ...inWorkspace(workspace) });
      // Switches a channel on again if the gateway switched it off. If the person did, it stays off.
      const isActive = data.isActive || data.disabledReason !== null;
      await request({
        method: 'PUT',
        path: `/channels/${id}`,
        body: { subscription, isActive },
        ...inWorkspace(workspace),
      });
      channels[workspace] = id;
    } catch (error) {
      // The channel was deleted on another device, or the person is no longer a member.
      if (![403, 404].includes(failure(error).status)) throw error;
    }
  }
  return channels;
}
