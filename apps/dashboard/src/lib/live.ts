import { createParser } from 'eventsource-parser';
import type { GatewayEvent } from '#contracts';
import { EVENTS_HEARTBEAT_SECONDS } from '#contracts/limits';
import { openChannel } from './channel.js';
import { accessToken, onSession, refresh, sessionState } from './session.js';
import { createStore, useStore } from './store.js';

/**
 * Live updates: one event stream per browser. The tab that holds the lock reads `/events` and passes everything on; without
 * Web Locks or BroadcastChannel each tab reads its own. A stream ends with its token, with the network or with the server; each
 * time it opens, listeners are told to fetch everything again, since what happened in between was not heard.
 */
export interface LiveState {
  connected: boolean;
  /** When the picture on screen was last known to be true. */
  since: number;
}

export type LiveSignal = { type: 'opened' } | { type: 'event'; event: GatewayEvent };
type Message = LiveSignal | { type: 'state'; state: LiveState } | { type: 'hello' };

const LOCK = 'agw-live';
const SILENCE_MS = EVENTS_HEARTBEAT_SECONDS * 2500;
const BACKOFF_MAX_MS = 15_000;

const state = createStore<LiveState>({ connected: false, since: Date.now() });
const channel = openChannel<Message>('agw-live');
const listeners = new Set<(signal: LiveSignal) => void>();
const shared = typeof navigator !== 'undefined' && 'locks' in navigator && typeof BroadcastChannel !== 'undefined';
let leading = false;
let lastHeard = Date.now();
let wake: () => void = () => {};

export const useLive = (): LiveState => useStore(state);

/** Hear of every event, and of every (re)opening. */
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

/** Starts listening for as long as the page lives. */
export function startLive(): void {
  window.addEventListener('online', () => wake());
  window.addEventListener('offline', () => leading && setState({ connected: false, since: state.get().since }));
  if (!shared) {
    leading = true;
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
  void contend(false);
  setInterval(watch, 5000);
}

/** Becomes the leader when the one before goes, or at once with `steal`. */
async function contend(steal: boolean): Promise<void> {
  try {
    await navigator.locks.request(LOCK, { steal }, async () => {
      leading = true;
      await lead();
    });
  } catch {
    // Another tab took over, because this one was frozen and had gone silent.
    leading = false;
    wake();
    void contend(false);
  }
}

/** The leader repeats its state; a visible tab that hears nothing for long takes the lock from a leader that the browser froze. */
function watch(): void {
  if (leading) channel.send({ type: 'state', state: state.get() });
  else if (document.visibilityState === 'visible' && Date.now() - lastHeard > SILENCE_MS) {
    lastHeard = Date.now();
    void contend(true);
  }
}

async function lead(): Promise<void> {
  let failures = 0;
  while (leading) {
    const openedAt = Date.now();
    if (sessionState() !== 'active') {
      await sessionChange();
      continue;
    }
    const token = await accessToken().catch(() => null);
    const opened = token !== null && (await readStream(token));
    if (!leading) return;
    setState({ connected: false, since: state.get().since });
    // A stream that lived came to its regular end (its token's): open the next at once.
    failures = opened && Date.now() - openedAt > 5000 ? 0 : failures + 1;
    if (failures > 0) await pause(Math.min(BACKOFF_MAX_MS, 250 * 2 ** failures) * (0.5 + Math.random() / 2));
  }
}

/** Reads one stream to its end. True when it had opened. */
async function readStream(token: string): Promise<boolean> {
  const abort = new AbortController();
  let silence = setTimeout(() => abort.abort(), SILENCE_MS);
  wake = () => abort.abort();
  let opened = false;
  try {
    const response = await fetch('/events', {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
      cache: 'no-store',
      signal: abort.signal,
    });
    if (response.status === 401) await refresh(token);
    if (!response.ok || !response.body) return false;
    opened = true;
    setState({ connected: true, since: Date.now() });
    tell({ type: 'opened' });
    const parser = createParser({
      onEvent: ({ data }) => tell({ type: 'event', event: JSON.parse(data) as GatewayEvent }),
    });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), SILENCE_MS);
      if (!leading || sessionState() === 'ended') return opened;
      state.set({ connected: true, since: Date.now() });
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
  } catch {
    // Cut off; the caller tries again.
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
