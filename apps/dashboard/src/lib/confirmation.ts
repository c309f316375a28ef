import { atom } from 'nanostores';

interface Asked {
  /** What the person confirms. undefined: what the page or its dialog is about. */
  about: string | undefined;
  answer: (confirmed: boolean) => void;
  /** The dialog could not be loaded. */
  fail: (error: Error) => void;
}

/** A call that was refused until the person confirms their identity. The app then shows the dialog. */
export const confirmation = atom<Asked | null>(null);

let asking: Promise<boolean> | null = null;

/**
 * Asks the person to confirm. Calls that are refused at the same time share one dialog.
 * @returns false if they cancel
 */
export function askToConfirm(about?: string): Promise<boolean> {
  asking ??= new Promise<boolean>((answer, fail) => confirmation.set({ about, answer, fail })).finally(() => {
    asking = null;
    confirmation.set(null);
  });
  return asking;
}
