import { atom } from 'nanostores';
import type { Call } from './transport.js';

interface Asked {
  /** The call that was refused. */
  call: Call;
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
export function askToConfirm(call: Call): Promise<boolean> {
  asking ??= new Promise<boolean>((answer, fail) => confirmation.set({ call, answer, fail })).finally(() => {
    asking = null;
    confirmation.set(null);
  });
  return asking;
}
