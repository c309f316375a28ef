import { createStore, useStore } from './store.js';

/** What this browser remembers of its user's taste. Never a token, never content of a request. */
export interface Preferences {
  /** Single-letter shortcuts (WCAG 2.1.4 asks for a switch). */
  shortcuts: boolean;
  /** The side of Approve on phones. */
  thumbSide: 'start' | 'end';
}

const KEY = 'agw-preferences';
const DEFAULTS: Preferences = { shortcuts: true, thumbSide: 'end' };
const store = createStore(read());

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    // Storage may be switched off; the defaults hold for this visit.
    return DEFAULTS;
  }
}

export const preferences = store.get;
export const usePreferences = (): Preferences => useStore(store);

export function setPreference<K extends keyof Preferences>(key: K, value: Preferences[K]): void {
  store.set({ ...store.get(), [key]: value });
  try {
    localStorage.setItem(KEY, JSON.stringify(store.get()));
  } catch {
    // As above: the choice holds for this visit.
  }
}
