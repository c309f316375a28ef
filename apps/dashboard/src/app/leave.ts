import { logOut } from '../lib/session.js';
import { showFailure } from '../lib/toasts.js';
import { mayLeave } from '../lib/unsaved.js';

/** Logs out, unless something would be lost. Shows a message if that fails. */
export function leave(): void {
  if (mayLeave()) void logOut().catch(showFailure);
}
