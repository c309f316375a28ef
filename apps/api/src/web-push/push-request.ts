import webPush from 'web-push';
import type { WebPushSubscription } from '#contracts';

/**
 * The content of the notification that the dashboard's service worker shows (apps/dashboard/public/service-worker.js).
 */
export interface PushMessage {
  /** The id of the delivery, the same at each attempt. */
  id: string;
  type: string;
  title: string;
  body: string;
  workspaceId: number;
  /** The page that a tap opens, and the tag of the notification: a newer one replaces it. Null: the inbox. */
  actionId: string | null;
  /** The end of the time in which a person can decide. */
  expiresAt: string | null;
  /** Whether the notification has a button to approve. */
  mayApprove: boolean;
}

export interface PushOptions {
  /** How long the push service keeps the message for a device that is not reachable. */
  ttlSeconds: number;
  urgency: 'high' | 'normal' | 'low';
}

/** Names nobody. Push services require a contact, and some reject localhost. */
const NO_CONTACT = 'mailto:unknown@agent-gateway.invalid';

/** Whom push services contact about these messages (RFC 8292): the operator, and never somebody else. */
export function pushSubject({
  adminEmail,
  publicUrl,
}: {
  adminEmail: string | null;
  publicUrl: string | null;
}): string {
  if (adminEmail !== null) return `mailto:${adminEmail}`;
  // The standard takes only https here.
  return publicUrl?.startsWith('https://') ? publicUrl : NO_CONTACT;
}

/** Push services accept 4,096 encrypted bytes. The encryption adds 103. */
const MESSAGE_MAX_BYTES = 3900;

/**
 * The request that delivers a message to a push service: encrypted for one browser (RFC 8291) and signed with the
 * gateway's key (RFC 8292). It is sent through the egress guard, so `web-push` sends nothing itself.
 * @throws Error if the keys of the subscription are unusable
 */
export function pushRequest(
  subscription: WebPushSubscription,
  keys: { publicKey: string; privateKey: string },
  subject: string,
  message: PushMessage,
  { ttlSeconds, urgency }: PushOptions,
): { url: string; headers: Record<string, string>; body: Buffer } {
  const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, serializeMessage(message), {
    vapidDetails: { subject, ...keys },
    TTL: Math.max(0, Math.floor(ttlSeconds)),
    urgency,
    // A device that was away gets only the last of several messages about an action.
    ...(message.actionId === null ? {} : { topic: message.actionId.replaceAll('-', '') }),
  });
  const text = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { url: endpoint, headers: Object.fromEntries(text), body };
}

/** Why the keys of a subscription are unusable; null if they are fine. */
export function faultOfKeys(subscription: WebPushSubscription): string | null {
  const about = { actionId: null, expiresAt: null, mayApprove: false };
  const ground = { id: '', type: '', title: '', body: '', workspaceId: 0, ...about };
  try {
    pushRequest(subscription, webPush.generateVAPIDKeys(), NO_CONTACT, ground, { ttlSeconds: 0, urgency: 'low' });
    return null;
  } catch {
    return 'subscription.keys: are not those of a browser';
  }
}

/** A message that is too long loses its second line. The page that it opens shows everything. */
function serializeMessage(message: PushMessage): string {
  const whole = JSON.stringify(message);
  return Buffer.byteLength(whole) <= MESSAGE_MAX_BYTES ? whole : JSON.stringify({ ...message, body: '' });
}
