import { createParser } from 'eventsource-parser';
import type { GatewayEvent } from '#contracts';
import { WORKSPACE_ID_HEADER } from '#contracts/headers';
import { EVENTS_HEARTBEAT_SECONDS } from '#contracts/limits';
import { useStore } from '@nanostores/react';
import { atom } from 'nanostores';
import { openChannel } from './channel.js';
import { now } from './clock.js';
import { asLeader } from './exclusive.js';
import { accessToken, onSession, refresh, sessionState } from './session.js';
import { workspaceId } from './workspace-choice.js';

/**
 * Live updates use one event stream per browser and workspace: over plain http a browser opens six connections to a
 * server, and ten streams would leave none for a page. The leading tab reads `/events` and forwards all events to the
 * other tabs. Without BroadcastChannel, each tab reads its own stream. A stream ends when its token expires, or when
 * the network or the server fails. When a new one opens, listeners must refetch, because events in between are lost.
 */
interface LiveState {
  connected: boolean;
  /** When the data on screen was last known to be current. */
  since: number;
}

/** `refused`: the person may have lost the workspace. */
type LiveSignal = { type: 'opened' } | { type: 'refused' } | { type: 'event'; event: GatewayEvent };
type Message = LiveSignal | { type: 'state'; state: LiveState } | { type: 'hello' };

/** Tabs of different workspaces follow different streams. Another choice loads the page again. */
const LOCK = `agw-live-${workspaceId() ?? ''}`;
const SILENCE_MS = EVENTS_HEARTBEAT_SECONDS * 2500;
const BACKOFF_MAX_MS = 15_000;
const RETRY_MS = 1000;

const state = atom<LiveState>({ connected: false, since: now() });
const channel = openChannel<Message>(LOCK);
const listeners = new Set<(signal: LiveSignal) => void>();
const shared = typeof BroadcastChannel !== 'undefined';
/** The current term of this tab as the leader; 0: another tab leads. Work of an earlier term stops itself. */
let leading = 0;
let terms = 0;
let lastHeard = Date.now();
let wake: () => void = () => {};

export const useLive = (): LiveState => useStore(state);

/** Subscribes to all events and to each opening of the stream. */
export function onLive(listener: (signal: LiveSignal) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function emit(signal: LiveSignal): void {
  for (const listener of listeners) listener(signal);
}

function tell(signal: LiveSignal): void {
  emit(signal);
  if (shared) channel.send(signal);
}

function setState(next: LiveState): void {
  state.set(next);
  if (shared) channel.send({ type: 'state', state: next });
}

/** Starts listening until the page closes. */
export function startLive(): void {
  window.addEventListener('online', () => wake());
  window.addEventListener('offline', () => leading && setState({ connected: false, since: state.get().since }));
  if (!shared) {
    void lead();
    return;
  }
  channel.listen((message) => {
    if (message.type === 'hello') {
      if (leading) channel.send({ type: 'state', state: state.get() });
      return;
    }
    lastHeard = Date.now();
    if (message.type === 'state') state.set(message.state);
    else emit(message);
  });
  channel.send({ type: 'hello' });
  contend(false);
  setInterval(watch, 5000);
}

/**
 * Becomes the leader when the current one leaves, or immediately with `steal`. If a stolen lead is lost, the call without
 * `steal` still waits.
 */
function contend(steal: boolean): void {
  asLeader(LOCK, steal, lead).catch(() => {
    // The browser froze this tab, so another tab took over.
    leading = 0;
    wake();
    // A browser that refuses the lock is not asked all the time.
    if (!steal) setTimeout(contend, RETRY_MS, false);
  });
}

/**
 * The leader repeats its state. If a visible tab does not receive it for long, the browser has frozen the leader, and
 * the tab takes the lock.
 */
function watch(): void {
  if (leading) channel.send({ type: 'state', state: state.get() });
  else if (document.visibilityState === 'visible' && Date.now() - lastHeard > SILENCE_MS) {
    lastHeard = Date.now();
    contend(true);
  }
}

async function lead(): Promise<void> {
  const term = (leading = ++terms);
  let failures = 0;
  while (leading === term) {
    const openedAt = Date.now();
    if (sessionState() !== 'active') {
      await sessionChange();
      continue;
    }
    const token = await accessToken().catch(() => null);
    const opened = token !== null && leading === term && (await readStream(token, term));
    if (leading !== term) return;
    setState({ connected: false, since: state.get().since });
    // The stream ended normally because its token expired. Open the next one immediately.
    failures = opened && Date.now() - openedAt > 5000 ? 0 : failures + 1;
    if (failures > 0) await pause(Math.min(BACKOFF_MAX_MS, 250 * 2 ** failures) * (0.5 + Math.random() / 2));
  }
}

/** Reads one stream to its end. Returns whether it opened. */
async function readStream(token: string, term: number): Promise<boolean> {
  const abort = new AbortController();
  let silence = setTimeout(() => abort.abort(), SILENCE_MS);
  wake = () => abort.abort();
  let opened = false;
  const workspace = workspaceId();
  try {
    const response = await fetch('/events', {
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'text/event-stream',
        ...(workspace !== null && { [WORKSPACE_ID_HEADER]: String(workspace) }),
      },
      cache: 'no-store',
      signal: abort.signal,
    });
    if (response.status === 401) await refresh(token);
    if (response.status === 404) tell({ type: 'refused' });
    // A proxy may answer with its login page.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!response.ok || !response.body || !isStream || leading !== term) return false;
    opened = true;
    setState({ connected: true, since: now() });
    tell({ type: 'opened' });
    const parser = createParser({
      onEvent: ({ data }) => tell({ type: 'event', event: JSON.parse(data) as GatewayEvent }),
    });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), SILENCE_MS);
      if (leading !== term || sessionState() === 'ended') return opened;
      state.set({ connected: true, since: now() });
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
  } catch {
    // The connection broke. The caller tries again.
  } finally {
    clearTimeout(silence);
    abort.abort();
  }
  return opened;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function sessionChange(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onSession(() => {
      stop();
      resolve();
    });
    wake = () => {
      stop();
      resolve();
    };
  });
}
