/** Replaces parts of axios that the dashboard does not use (vite.config.ts). */
export default null;
