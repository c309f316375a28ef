import { announce } from './announce.js';
import { failure } from './http.js';
import { createStore } from './store.js';

/** Short messages about what was done. Good news leaves by itself, errors stay until dismissed. */
export interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  requestId: string | null;
}

const SHOWN_MS = 7000;
export const toasts = createStore<readonly Toast[]>([]);
let nextId = 1;

export function dismissToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function showDone(text: string): void {
  const id = nextId++;
  // The latest good news is enough; failures stay beside it.
  toasts.set([...toasts.get().filter(({ kind }) => kind === 'failed'), { id, kind: 'done', text, requestId: null }]);
  announce(text);
  setTimeout(() => dismissToast(id), SHOWN_MS);
}

/** Takes whatever was thrown. */
export function showFailure(error: unknown): void {
  const { message, requestId } = failure(error);
  toasts.set([...toasts.get().slice(-3), { id: nextId++, kind: 'failed', text: message, requestId }]);
  announce(message);
}
