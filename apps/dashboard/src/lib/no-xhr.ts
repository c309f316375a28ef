/** Takes the place of axios' adapter for XMLHttpRequest, and of its table of status codes (vite.config.ts). */
export default null;
