/** The facts about a browser that decide whether it can show push messages. */
interface Surroundings {
  isSecure: boolean;
  hasPush: boolean;
  permission: NotificationPermission;
  userAgent: string;
  touchPoints: number;
}

/**
 * `insecure`: the page came over http. `install`: iPhones and iPads have push messages only in an app on the home
 * screen. `none`: the browser does not support them. `blocked`: the person, or the browser, has blocked them.
 */
export type Possibility = 'insecure' | 'install' | 'none' | 'blocked' | 'possible';

export function toPossibility({ isSecure, hasPush, permission, userAgent, touchPoints }: Surroundings): Possibility {
  if (!isSecure) return 'insecure';
  if (!hasPush) return isApplePhone(userAgent, touchPoints) ? 'install' : 'none';
  return permission === 'denied' ? 'blocked' : 'possible';
}

/** An iPad calls itself a Mac, but no Mac has a touch screen. */
export const isApplePhone = (userAgent: string, touchPoints: number): boolean =>
  /iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && touchPoints > 1);

export const possibility = (): Possibility =>
  toPossibility({
    isSecure: isSecureContext,
    hasPush: 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window,
    permission: 'Notification' in window ? Notification.permission : 'default',
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
  });

/** Whether the browser asks the person at the next press, because it has no answer yet. */
export const willAsk = (): boolean => Notification.permission === 'default';
