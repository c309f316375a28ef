import { useStore } from '@nanostores/react';
import { atom } from 'nanostores';

/** The user's preferences in this browser. They never contain tokens or request data. */
interface Preferences {
  /** Single-letter shortcuts. WCAG 2.1.4 requires a switch for them. */
  shortcuts: boolean;
  /** The side of the Approve button on phones. */
  thumbSide: 'start' | 'end';
}

const KEY = 'agw-preferences';
const DEFAULTS: Preferences = { shortcuts: true, thumbSide: 'end' };
const store = atom(read());

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    // If storage is disabled, the defaults apply.
    return DEFAULTS;
  }
}

export const preferences = (): Preferences => store.get();
export const usePreferences = (): Preferences => useStore(store);

export function setPreference<K extends keyof Preferences>(key: K, value: Preferences[K]): void {
  store.set({ ...store.get(), [key]: value });
  try {
    localStorage.setItem(KEY, JSON.stringify(store.get()));
  } catch {
    // If storage is disabled, the choice applies until the tab closes.
  }
}
