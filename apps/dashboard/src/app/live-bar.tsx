import { Text } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { clockTime } from '../lib/format.js';
import { useLive } from '../lib/live.js';
import { sharedMessages } from '../lib/messages.js';
import { useHasNoWorkspace } from '../lib/workspace.js';

/** A normal reconnect is faster than this, and shows nothing. */
const GRACE_MS = 1500;

/** Warns that the data on screen may be out of date, and shows the time of the data. */
export function LiveBar() {
  const { connected: live, since } = useLive();
  // Nothing is live without a workspace.
  const connected = useHasNoWorkspace() || live;
  const online = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (connected) return;
    const timer = setTimeout(() => setLate(true), GRACE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [connected]);
  const text = !online
    ? sharedMessages.live.offline(clockTime(since))
    : late && !connected
      ? sharedMessages.live.reconnecting(clockTime(since))
      : '';
  return (
    <Text
      component="div"
      role="status"
      size="sm"
      ta="center"
      px="lg"
      py={text && 3}
      c="var(--agw-medium)"
      bg="var(--agw-medium-ground)"
    >
      {text}
    </Text>
  );
}

function subscribeOnline(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
