/**
 * Registers the service worker, which makes the dashboard installable, shows a page when it is offline, and shows notifications. Browsers
 * have service workers on https and localhost only. Without one, the dashboard works as before.
 */
if ('serviceWorker' in navigator) {
  navigator.serviceWorker.register(`${import.meta.env.BASE_URL}service-worker.js`).catch(() => {});
}

export {};
