import { atom } from 'nanostores';

/** Texts for screen readers, announced politely. The shell renders the live region. */
export const announcement = atom<{ text: string; count: number }>({ text: '', count: 0 });

/** The count makes a repeated text different, so that it is announced again. */
export const announce = (text: string): void => announcement.set({ text, count: announcement.get().count + 1 });
