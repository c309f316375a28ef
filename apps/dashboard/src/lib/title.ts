import { createStore } from './store.js';

/** The title of the current page. The shell adds the number of waiting actions. */
export const pageTitle = createStore('');
