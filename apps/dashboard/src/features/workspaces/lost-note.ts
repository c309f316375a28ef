import { roleMessages } from '../../lib/role-messages.js';
import { showFailure } from '../../lib/toasts.js';

/** Shows that the person asked for a workspace that is not theirs, and which one the page shows instead. */
export const showLost = (shown: string): void => showFailure(new Error(roleMessages.workspace.lost(shown)));
