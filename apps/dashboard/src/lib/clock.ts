import { useSyncExternalStore } from 'react';

/** The server's time, and one shared ticker, so that all countdowns on a page change at the same time. */
let skewMs = 0;

/** Reads the `Date` header of a response. It has whole seconds, so smaller differences are not a clock skew. */
export function noteServerDate(date: string | null | undefined): void {
  const server = date ? Date.parse(date) : NaN;
  if (Number.isNaN(server)) return;
  const difference = server - Date.now();
  skewMs = Math.abs(difference) > 2500 ? difference : 0;
}

export const now = (): number => Date.now() + skewMs;

/**
 * The first moment of the reader's day, this many days before the day of `nowMs`. A day may begin at one o'clock, where
 * the clocks change at midnight. So each day is computed by its date and not from the beginning of another day.
 */
export function dayStart(nowMs: number, daysBack = 0): Date {
  const date = new Date(nowMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBack);
}

/** Whether a moment is on the reader's present day. */
export const isToday = (at: string | number, nowMs = now()): boolean =>
  dayStart(new Date(at).getTime()).getTime() === dayStart(nowMs).getTime();

let second = Math.floor(now() / 1000);
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  const next = Math.floor(now() / 1000);
  if (next === second) return;
  second = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 250);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** A value that a component derives from the current time. The component renders again only when the value changes. */
export function useNow<T extends string | number | boolean>(derive: (nowMs: number) => T): T {
  return useSyncExternalStore(subscribe, () => derive(second * 1000));
}
