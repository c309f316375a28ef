/**
 * A channel between the tabs of one browser. Without BroadcastChannel, tabs cannot exchange messages, and this does
 * nothing.
 */
interface Channel<T> {
  send: (message: T) => void;
  listen: (listener: (message: T) => void) => void;
}

export function openChannel<T>(name: string): Channel<T> {
  if (typeof BroadcastChannel === 'undefined') return { send: () => {}, listen: () => {} };
  const channel = new BroadcastChannel(name);
  return {
    send: (message) => channel.postMessage(message),
    listen: (listener) => channel.addEventListener('message', (event: MessageEvent<T>) => listener(event.data)),
  };
}
