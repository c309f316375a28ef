import { atom } from 'nanostores';

/** The title of the current page. The shell adds the number of waiting actions. */
export const pageTitle = atom('');
