import { createStore } from './store.js';

/** What screen readers are told, politely. The shell renders the live region. */
export const announcement = createStore<{ text: string; count: number }>({ text: '', count: 0 });

/** The same words twice are said twice: the count tells them apart. */
export const announce = (text: string): void => announcement.set({ text, count: announcement.get().count + 1 });
