/**
 * The service worker of the dashboard. It stores nothing, so a new version needs no migration, and no page that it
 * shows can be outdated. It never calls the API: refresh tokens are single-use, so only the tabs, which share a lock,
 * may use them.
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
      <p>The gateway can’t be reached, so this page can’t load. It reloads when you are online again.</p>
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
    // The nonce is not secret, because nothing in the page comes from outside.
    const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-offline'; base-uri 'none'";
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy };
    return new Response(OFFLINE_PAGE, { status: 503, headers });
  }
}

/** The texts of notifications. A message has the fields of PushMessage (apps/api/src/web-push/push-request.ts). */
const TEXT = {
  review: 'Review',
  deny: 'Deny',
  until: (time) => `until ${time}`,
  unreadable: 'New notification from Agent Gateway',
  approve: 'Approve…',
  approveNow: 'Approve now',
  sure: (title) => `Approve? ${title}`,
  approved: 'Approved',
  missing: (count) => `Your approval was added. The request needs ${count} more.`,
  notApproved: 'Not approved',
  logIn: 'You are not logged in here. Open the request and log in.',
  closed: 'This request was already decided, or it has expired.',
  unreachable: 'The gateway can’t be reached.',
  unknown: 'The gateway did not answer. Open the request to see whether it was approved.',
};

/** Most systems show two buttons. If one of them approves, pressing the notification itself still opens the request. */
const BUTTONS = {
  review: { action: 'review', title: TEXT.review },
  deny: { action: 'deny', title: TEXT.deny },
  approve: { action: 'approve', title: TEXT.approve },
  approveNow: { action: 'approve-now', title: TEXT.approveNow },
};

/** How long a tab may take to report whether it shows the action. A tab that the browser has frozen does not answer. */
const ANSWER_MS = 400;

/**
 * Safari ends a subscription after three messages that show nothing, so on Safari a decision replaces the notification.
 */
const MUST_SHOW = /^((?!Chrom|Android).)*Safari\//.test(navigator.userAgent);

self.addEventListener('push', (event) => event.waitUntil(show(read(event.data))));

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const press = { approve: ask, 'approve-now': approve }[action] ?? (({ data }) => open(pageUrl(data, action)));
  event.waitUntil(press(notification));
});

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));

/**
 * The push service has ended the subscription. An open tab reports the new one to the gateway, or else the next tab
 * that opens.
 */
async function renew({ oldSubscription, newSubscription }) {
  const applicationServerKey = oldSubscription?.options.applicationServerKey;
  // Without the key, the tab subscribes.
  if (!newSubscription && applicationServerKey) {
    await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }).catch(() => {});
  }
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const tab of tabs) tab.postMessage({ type: 'subscription' });
}

function read(data) {
  try {
    return data.json();
  } catch {
    // A browser that gets a message must show something.
    return { type: '', title: TEXT.unreadable, body: '', actionId: null };
  }
}

/** An action has one notification, whose tag is the action's id. News about the action replaces it. */
async function show({ type, title, body, actionId, workspaceId, expiresAt, mayApprove }) {
  const tag = actionId ?? `${type} ${workspaceId}`;
  const decided = type === 'approval.decided';
  if (decided && !MUST_SHOW) return close(tag);
  const until = expiresAt ? TEXT.until(moment(new Date(expiresAt))) : null;
  const waits = actionId !== null && !decided;
  await self.registration.showNotification(title, {
    body: [body, until].filter(Boolean).join(' · '),
    tag,
    data: { actionId, workspaceId, title },
    renotify: !decided,
    silent: decided,
    icon: 'icons/icon-192.png',
    badge: 'icons/badge-96.png',
    actions: waits ? [mayApprove ? BUTTONS.approve : BUTTONS.review, BUTTONS.deny] : [],
  });
}

/** Uses the time zone of this device, which the gateway does not know. */
function moment(date) {
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], { weekday: today ? undefined : 'short', hour: 'numeric', minute: '2-digit' });
}

async function close(tag) {
  for (const shown of await self.registration.getNotifications({ tag })) shown.close();
}

/**
 * "Deny" opens the field for the note. The decision itself needs the session of the page, and a press on a button
 * there.
 */
function pageUrl({ actionId, workspaceId }, action) {
  const path = actionId ? `approvals/${actionId}` : 'approvals';
  const workspace = workspaceId ? `?workspace=${workspaceId}` : '';
  return `${self.registration.scope}${path}${workspace}${actionId && action === 'deny' ? '#deny' : ''}`;
}

/** Uses a tab that shows the inbox, or else a new one: other pages may have input that is not saved. */
async function open(url) {
  for (const tab of await self.clients.matchAll({ type: 'window', includeUncontrolled: true })) {
    if (await takes(tab, url)) return tab.focus();
  }
  return self.clients.openWindow(url);
}

function takes(tab, url) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    setTimeout(() => resolve(false), ANSWER_MS);
    tab.postMessage({ type: 'open', url }, [port2]);
  });
}

/**
 * Approves from a notification, if the workspace allows it. The first press shows the request, and the second one
 * approves exactly that request, with the session of this browser. The gateway checks everything as for the dashboard,
 * and the risk again.
 */
async function ask({ data }) {
  await trying(data, TEXT.unreachable, async () => {
    const item = await call(await accessToken(), data, 'GET', '');
    if (item.status !== 'PENDING') throw new Refusal(TEXT.closed);
    const { method, targetUrl, digest } = item;
    await say(data, TEXT.sure(data.title), `${method} ${targetUrl}`, [BUTTONS.approveNow, BUTTONS.review], {
      data: { ...data, digest },
      requireInteraction: true,
    });
  });
}

async function approve({ data }) {
  await trying(data, TEXT.unreachable, async () => {
    const token = await accessToken();
    await trying(data, TEXT.unknown, async () => {
      const { digest } = data;
      const { status, approvals } = await call(token, data, 'PATCH', '/approve', { digest, from: 'notification' });
      const missing = status === 'PENDING' ? approvals.needed - approvals.given.length : 0;
      await say(data, TEXT.approved, missing > 0 ? TEXT.missing(missing) : data.title);
    });
  });
}

/** The gateway refused, or there is no session. */
class Refusal extends Error {}

async function trying(data, unanswered, work) {
  try {
    await work();
  } catch (error) {
    const why = error instanceof Refusal ? error.message : unanswered;
    await say(data, TEXT.notApproved, `${data.title}\n${why}`, [BUTTONS.review]);
  }
}

/** Replaces the notification that was pressed. */
function say(data, title, body, actions = [], more = {}) {
  const look = { icon: 'icons/icon-192.png', badge: 'icons/badge-96.png' };
  return self.registration.showNotification(title, { body, tag: data.actionId, data, actions, ...look, ...more });
}

async function call(token, { actionId, workspaceId }, method, path, body) {
  const headers = { Authorization: `Bearer ${token}`, 'X-Workspace-Id': String(workspaceId) };
  return send(`/approvals/${actionId}${path}`, { method, headers, body });
}

async function send(url, { headers, body, ...request }) {
  const json = body && { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    ...request,
    headers: { ...headers, ...json },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  throw response.status < 500 ? new Refusal(response.status === 401 ? TEXT.logIn : `${answer.error}.`) : new Error();
}

/**
 * The access token of this browser's session. A refresh token works once, so tabs and this worker take turns
 * (src/lib/session-cookie.ts). The cookie marks a refresh of a tab that was closed meanwhile.
 */
function accessToken() {
  return navigator.locks.request('agw-refresh', async () => {
    while (await self.cookieStore?.get('agw_refreshing')) await new Promise((resolve) => setTimeout(resolve, 25));
    return (await send('/auth/refresh', { method: 'POST', body: {} })).accessToken;
  });
}
