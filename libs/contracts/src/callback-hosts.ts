/**
 * Checks the hosts that an agent's callbacks may go to (docs/reference/agent-api.md#callbacks). This file imports
 * nothing, so that the dashboard can use it too.
 */

/** A name or an address, with an optional port, in the form that `URL` normalises it to. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/;

/**
 * Returns the entry in its stored form: the host as `URL` normalises it, and the port if the entry has one. null if it
 * is invalid.
 */
export function normalCallbackHost(entry: string): string | null {
  const text = entry.trim();
  // `URL` drops a scheme's default port, so the port is read from the text below.
  if (/[/\\?#@\s]/.test(text) || !URL.canParse(`https://${text}`)) return null;
  const { hostname } = new URL(`https://${text}`);
  const port = /:(\d{1,5})$/.exec(text.replace(/^\[.*\]/, ''))?.[1];
  const host = port === undefined ? hostname : `${hostname}:${Number(port)}`;
  return HOST.test(host) && port !== '0' ? host : null;
}

/** Whether an entry covers the host and port of this URL. An entry without a port means the scheme's default port. */
export function listsCallbackHost(entries: readonly string[], url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return entries.some((entry) => entry === url.host || entry === `${url.hostname}:${port}`);
}
