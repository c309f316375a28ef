import type { ReactNode } from 'react';
import { announce } from './announce.js';
import { failure } from './http.js';
import { createStore } from './store.js';

/** Short messages about what was done. Good news leaves by itself, errors stay until dismissed. */
export interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  requestId: string | null;
  /** What can be done about it, or where it leads. */
  more?: ReactNode;
  /** It says that the gateway can't be reached. It leaves when the gateway is back. */
  outage: boolean;
}

const SHOWN_MS = 7000;
/** Time to read it, and to reach what it offers. */
const SHOWN_WITH_MORE_MS = 15_000;
export const toasts = createStore<readonly Toast[]>([]);
let nextId = 1;

const keep = (stays: (toast: Toast) => boolean): void => toasts.set(toasts.get().filter(stays));

export const dismissToast = (id: number): void => keep((toast) => toast.id !== id);
/** The gateway is back. */
export const dismissOutages = (): void => keep(({ outage }) => !outage);

export function showDone(text: string, more?: ReactNode): void {
  const id = nextId++;
  // The latest good news is enough; failures stay beside it.
  keep(({ kind }) => kind === 'failed');
  toasts.set([...toasts.get(), { id, kind: 'done', text, requestId: null, more, outage: false }]);
  announce(text);
  setTimeout(() => dismissToast(id), more ? SHOWN_WITH_MORE_MS : SHOWN_MS);
}

/** Takes whatever was thrown. */
export function showFailure(error: unknown): void {
  const { message, requestId, outage } = failure(error);
  // One outage is one message, however many requests it met.
  keep((toast) => !(toast.outage && outage && toast.text === message));
  toasts.set([...toasts.get().slice(-3), { id: nextId++, kind: 'failed', text: message, requestId, outage }]);
  announce(message);
}
