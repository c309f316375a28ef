/** Takes the place of axios' adapter for XMLHttpRequest (vite.config.ts). */
export default null;
