import { createStore } from './store.js';

/** The name of the page on screen; the shell puts the number of waiting actions before it. */
export const pageTitle = createStore('');
