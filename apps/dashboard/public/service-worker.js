/**
 * The service worker of the dashboard. It stores nothing, so a new version needs no care, and nothing that it shows can be out of date.
 * It never calls the API: refresh tokens are single-use, so only the tabs, which share a lock, may use them.
 */
const OFFLINE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
    <meta name="color-scheme" content="light dark" />
    <title>You are offline · Agent Gateway</title>
    <style>
      :root { --ground: #f5f7f6; --text: #1a2522; --dimmed: #52625e; --accent: #0e7161; --on-accent: #fff }
      @media (prefers-color-scheme: dark) {
        :root { --ground: #0d1312; --text: #e6edeb; --dimmed: #97a9a4; --accent: #4fc3ab; --on-accent: #0d1312 }
      }
      body {
        display: grid; place-content: center; justify-items: center; min-block-size: 100vh; margin: 0; padding: 24px;
        box-sizing: border-box; max-inline-size: 420px; margin-inline: auto; text-align: center;
        font: 15px/22px system-ui, sans-serif; color: var(--text); background: var(--ground);
      }
      h1 { margin: 0 0 6px; font-size: 21px; line-height: 28px }
      p { margin: 0 0 22px; color: var(--dimmed) }
      a {
        display: inline-grid; place-content: center; min-block-size: 48px; padding-inline: 22px; border-radius: 8px;
        font-weight: 600; text-decoration: none; color: var(--on-accent); background: var(--accent);
      }
      a:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px }
    </style>
  </head>
  <body>
    <main>
      <h1>You are offline</h1>
      <p>The gateway can’t be reached, so nothing is shown that may be out of date. The page opens when it is reachable again.</p>
      <a href="">Try again</a>
    </main>
    <script nonce="offline">addEventListener('online', () => location.reload())</script>
  </body>
</html>`;

self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('activate', (event) => {
  // The browser then asks for the page while the worker starts.
  event.waitUntil(self.registration.navigationPreload?.enable());
});

self.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(page(event));
});

async function page(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    // The nonce is no secret, because nothing in the page comes from outside.
    const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-offline'; base-uri 'none'";
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy };
    return new Response(OFFLINE_PAGE, { status: 503, headers });
  }
}
