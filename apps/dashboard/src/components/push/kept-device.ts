/**
 * The data that this browser stores about its push subscription: its owner, and the person's channel in each workspace.
 * Without storage it remembers until the page is closed.
 */
export interface KeptDevice {
  userId: number;
  /** The URL where the push service accepts messages. A new one means that the browser has subscribed again. */
  endpoint: string;
  /** The ids of channels, by the ids of their workspaces. */
  channels: Record<string, number>;
}

const KEY = 'agw-push';
let inMemory: KeptDevice | null = null;

export function keptDevice(): KeptDevice | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as KeptDevice | null;
  } catch {
    return inMemory;
  }
}

export function keepDevice(device: KeptDevice | null): void {
  inMemory = device;
  try {
    if (device === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(device));
  } catch {
    // In memory only.
  }
}
