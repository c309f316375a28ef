/** Takes the place of parts of axios that the dashboard doesn't use (vite.config.ts). */
export default null;
