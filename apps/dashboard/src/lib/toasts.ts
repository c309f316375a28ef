import { atom } from 'nanostores';
import type { ReactNode } from 'react';
import { announce } from './announce.js';
import { now } from './clock.js';
import { failure } from './http.js';

/** Short messages about results. Successes disappear after a while, errors stay until dismissed. */
interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  requestId: string | null;
  /** A button or link in the toast. */
  more?: ReactNode;
  /** Whether the toast asks the person to do something. Only the latest of these is shown. */
  notice?: boolean;
  /** Reports that the gateway is unreachable. The toast disappears when the gateway is back. */
  outage: boolean;
}

const SHOWN_MS = 7000;
/** Enough time to read the toast and to reach its button. */
const SHOWN_WITH_MORE_MS = 15_000;
export const toasts = atom<readonly Toast[]>([]);
let nextId = 1;

const keep = (stays: (toast: Toast) => boolean): void => toasts.set(toasts.get().filter(stays));

export const dismissToast = (id: number): void => keep((toast) => toast.id !== id);
/** Removes the toasts about an unreachable gateway. */
export const dismissOutages = (): void => keep(({ outage }) => !outage);

/** @param until ISO 8601. The toast does not disappear before */
export function showDone(text: string, more?: ReactNode, until?: string | null): void {
  const id = nextId++;
  // Only the latest success is shown. Failures stay beside it.
  keep(({ kind }) => kind === 'failed');
  toasts.set([...toasts.get(), { id, kind: 'done', text, requestId: null, more, outage: false }]);
  announce(text);
  const leftMs = until ? Date.parse(until) - now() : 0;
  setTimeout(() => dismissToast(id), Math.max(leftMs, more ? SHOWN_WITH_MORE_MS : SHOWN_MS));
}

/** Something that the person should do. It stays until it is dismissed. */
export function showNotice(text: string, more: ReactNode): void {
  keep(({ notice }) => !notice);
  const id = nextId++;
  toasts.set([...toasts.get(), { id, kind: 'failed', text, requestId: null, more, notice: true, outage: false }]);
  announce(text);
}

/** Accepts any thrown value. */
export function showFailure(error: unknown): void {
  const { message, requestId, outage } = failure(error);
  // One outage shows one toast, however many requests fail.
  keep((toast) => !(toast.outage && outage && toast.text === message));
  toasts.set([...toasts.get().slice(-3), { id: nextId++, kind: 'failed', text: message, requestId, outage }]);
  announce(message);
}
