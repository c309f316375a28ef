/** Where an agent's callbacks may go (contract 4). This file imports nothing: the dashboard checks the same. */

/** A name or address, and perhaps a port; in what `URL` makes of it. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/;

/** An entry as it is stored: the host as `URL` spells it, and a port if one was given. null: it is none. */
export function normalCallbackHost(entry: string): string | null {
  const text = entry.trim();
  // Of no scheme that has a default port, so that a port which was given stays.
  if (/[/\\?#@\s]/.test(text) || !URL.canParse(`https://${text}`)) return null;
  const { hostname } = new URL(`https://${text}`);
  const port = /:(\d{1,5})$/.exec(text.replace(/^\[.*\]/, ''))?.[1];
  const host = port === undefined ? hostname : `${hostname}:${Number(port)}`;
  return HOST.test(host) && port !== '0' ? host : null;
}

/** Whether an entry means the host and port of this URL. Without a port it means the scheme's own. */
export function listsCallbackHost(entries: readonly string[], url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return entries.some((entry) => entry === url.host || entry === `${url.hostname}:${port}`);
}
