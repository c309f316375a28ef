import { createStore } from './store.js';

/** Texts for screen readers, announced politely. The shell renders the live region. */
export const announcement = createStore<{ text: string; count: number }>({ text: '', count: 0 });

/** The count makes a repeated text different, so that it is announced again. */
export const announce = (text: string): void => announcement.set({ text, count: announcement.get().count + 1 });
