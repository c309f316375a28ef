import { logOut } from '../lib/session.js';
import { showFailure } from '../lib/toasts.js';

/** Logs out, and shows a message if that fails. */
export const leave = (): void => void logOut().catch(showFailure);
